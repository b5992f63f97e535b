// C++ as kernels use it: templates, overloads, references, structs with members, constexpr, auto,
// lambdas.
template <typename T>
struct Range {
    T low, high;
    __device__ T clamp(T x) const { return x < low ? low : x > high ? high : x; }
};

template <typename T>
__device__ void swap_if_greater(T &a, T &b)
{
    if (a > b) {
        T t = a;
        a = b;
        b = t;
    }
}

__device__ float half_of(float x) { return x / 2; }
__device__ int half_of(int x) { return x / 2; }

template <typename T, int N>
__global__ void sort_pairs(T *x, T low, T high = T(1000))
{
    constexpr int STRIDE = 2 * N;
    const Range<T> range{low, high};
    auto scale = [=](T v) { return half_of(range.clamp(v)); };
    for (int i = threadIdx.x * 2; i + 1 < STRIDE * 16; i += 2 * blockDim.x) {
        swap_if_greater(x[i], x[i + 1]);
        x[i] = scale(x[i]);
    }
}

template __global__ void sort_pairs<int, 4>(int *, int, int);
