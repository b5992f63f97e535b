// C++ as it is met in newer device code: strong enumerations, templates with values and with
// defaults of their own type, operators that give references, generic lambdas, `if constexpr`,
// range-for, aggregates in braces, constants of <cstdint>.
//
//@ buffer in i32 64 iota -20 1
//@ buffer out i64 64 empty
//@ run features <<<2, 32>>> (in, out)
//@ check out exact

#include <cassert>
#include <cstdint>
#include <cuda_runtime.h>

enum class Mode : int { Plain, Twice };
enum { BINS = 8, LAST = BINS - 1 };
using real = float;

template <typename T, int N>
struct Vec {
    T v[N];
    __host__ __device__ T &operator[](int i) { return v[i]; }
    __host__ __device__ const T &operator[](int i) const { return v[i]; }
    __host__ __device__ Vec &operator+=(const Vec &o)
    {
        for (int i = 0; i < N; ++i)
            v[i] += o[i];
        return *this;
    }
    static __host__ __device__ constexpr int size() { return N; }
};

template <typename T, int N>
__host__ __device__ Vec<T, N> operator*(T s, const Vec<T, N> &a)
{
    Vec<T, N> r;
    for (int i = 0; i < N; ++i)
        r[i] = s * a[i];
    return r;
}

template <typename T>
__device__ T clamped(T x, T low = T(0), T high = T(LAST))
{
    return x < low ? low : (x > high ? high : x);
}

__device__ long long polynomial(int x, const int (&c)[3])
{
    return c[0] + (long long)x * (c[1] + x * c[2]);
}

__device__ Vec<int, 3> spread(int x)
{
    return {{x, x + 1, x * x}};
}

extern "C" __global__ void __launch_bounds__(64, 2) features(const int *in, long long *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int x = in[i];
    Mode mode = i % 2 ? Mode::Twice : Mode::Plain;
    Vec<int, 3> v = {{1, 2, 3}}, w{};
    w += x * v;
    w += spread(x);
    int c[3] = {1, -2, 3};
    int64_t sum = 0;
    for (auto each : c)
        sum += each;
    switch (mode) {
    case Mode::Plain:
        sum += 100;
        break;
    case Mode::Twice:
        sum *= 2;
    }
    if constexpr (sizeof(real) == 4)
        sum += polynomial(x, c);
    auto add = [&](auto a, auto b) -> int64_t { return a + b + w[1]; };
    sum = add(sum, w[2]) + Vec<int, 3>::size() + spread(x).v[2];
    sum += clamped(x) + clamped(x, -3) + clamped<short>(x, -5, 5);
    sum += min(x, 4) + max(static_cast<int>(mode), x);
    sum ^= (INT64_C(1) << 40) + UINT8_MAX + static_cast<int64_t>(UINT64_C(1) << 33);
    assert(sum != 0);
    out[i] = sum;
}
