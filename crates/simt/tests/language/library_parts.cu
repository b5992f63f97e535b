// Of the C++ library: tuples, optional values, sequences of indices, `void_t`; complex numbers of
// `cuda::std` and Thrust; functions on the bytes of a word; where an address lies.
//
//@ buffer out f32 24 zero
//@ run parts <<<1, 1>>> (out)
//@ expect out 3 1 2 9 4 2.5 1 7 0 1 4 9 1 0 -5 10 0.5 5 6 10 4 16 1 7
#include <cuda/std/array>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <thrust/complex.h>
#include <type_traits>

template <size_t... i> __device__ void squares(float *out, std::index_sequence<i...>)
{
    int x[] = {(out[i] = i * i, 0)...};
    (void)x;
}
template <typename T, typename = void> struct has_x : std::false_type {};
template <typename T> struct has_x<T, std::void_t<decltype(T::x)>> : std::true_type {};
struct A { int x; };
struct B { int y; };
template <typename T> __device__ cuda::std::optional<T> halved(T v)
{
    if (v % 2)
        return cuda::std::optional<T>();
    return v / 2;
}

extern "C" __global__ void parts(float *out)
{
    auto t = cuda::std::make_tuple(3, 2.5f);
    out[0] = cuda::std::get<0>(t);
    cuda::std::array<int, 3> a{1, 2, 3};
    out[1] = a[0];
    out[2] = a.at(1);
    for (int v : a)
        out[3] += v + 1;
    out[4] = cuda::std::sqrt(16.0f);
    out[5] = cuda::std::get<1>(t);
    auto [i, f] = t;
    out[6] = i - 2;
    cuda::std::pair<int, float> p(7, 1.f);
    out[7] = p.first;
    squares(out + 8, std::make_index_sequence<4>{});
    out[12] = has_x<A>::value;
    out[13] = has_x<B>::value;
    cuda::std::complex<float> z(1, 2), w(3, 4);
    auto product = z * w;
    out[14] = product.real();
    out[15] = product.imag();
    thrust::complex<float> q = thrust::complex<float>(1, 1) / 2.0f;
    out[16] = q.imag();
    out[17] = thrust::abs(thrust::complex<float>(3, 4));
    out[18] = cuda::std::apply([](int n, float v) { return n * 2 + (v > 2); }, t) - 1;
    out[19] = halved(20).value_or(0) + halved(3).value_or(0);
    out[20] = __dp4a(0x01010101, 0x01010101, 0);
    out[21] = __vadd4(0x0000000fu, 0xff000001u) & 0xffu;
    __shared__ int s;
    out[22] = __isShared(&s) && __isGlobal(out) && !__isLocal(out);
    int old = 7;
    out[23] = std::exchange(old, 9);
}
