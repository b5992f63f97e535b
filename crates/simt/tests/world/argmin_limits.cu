// Limits of the C++ library as start values.
//@ buffer x f32 64 rand 3 -5 5
//@ buffer ok i32 1 zero
//@ run argmin<float> <<<1, 64>>> (x, ok)
//@ expect ok 1
#include <limits>
#include <type_traits>
template <typename T> struct Best { T value; int index; };
template <typename T> __global__ void argmin(const T *x, int *ok)
{
    static_assert(std::is_floating_point<T>::value, "real numbers only");
    __shared__ Best<T> best[64];
    int t = threadIdx.x;
    best[t] = {std::numeric_limits<T>::max(), -1};
    if (x[t] < best[t].value) best[t] = Best<T>{x[t], t};
    __syncthreads();
    for (int s = 32; s > 0; s >>= 1) {
        if (t < s && best[t + s].value < best[t].value) best[t] = best[t + s];
        __syncthreads();
    }
    if (t == 0) {
        bool all = true;
        for (int i = 0; i < 64; ++i) all = all && x[i] >= best[0].value;
        *ok = all && x[best[0].index] == best[0].value;
    }
}
template __global__ void argmin<float>(const float *, int *);
int main() { std::numeric_limits<double> unused; return 0; }
