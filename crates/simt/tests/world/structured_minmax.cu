// C++17 in kernels: pairs that are taken apart, `if` with a declaration, fold of a minimum.
//@ buffer x f32 8 list 3 1 4 1 5 9 2 6
//@ buffer out f32 3 zero
//@ run minmax <<<1, 1>>> (x, out, 8)
//@ expect out 1 9 1
#include <algorithm>
#include <utility>
template <typename T> __device__ std::pair<T, T> range(const T *x, int n)
{
    T lo = x[0], hi = x[0];
    for (int i = 1; i < n; ++i) {
        lo = min(lo, x[i]);
        hi = max(hi, x[i]);
    }
    return {lo, hi};
}
template <typename T, typename... Ts> __device__ T smallest(T a, Ts... rest)
{
    ((a = rest < a ? rest : a), ...);
    return a;
}
__global__ void minmax(const float *x, float *out, int n)
{
    const auto [lo, hi] = range(x, n);
    out[0] = lo;
    out[1] = hi;
    if (float s = smallest(x[0], x[1], x[2]); s > 0) out[2] = s;
}
int main() { return 0; }
