// The part of the C++ library that device code may use.
//
//@ buffer out f64 22 zero
//@ run library <<<1, 1>>> (out)
//@ expect out 2147483647 -128 3.4028234663852886e38 -3.4028234663852886e38 1 0 1 0 8 4 7 2 3 9 5 1 1 6 2 65535 3 255

#include <limits>
#include <type_traits>
#include <cuda/std/limits>

template <typename T>
__device__ typename std::enable_if<std::is_integral<T>::value, int>::type kind(T)
{ return 1; }
template <typename T> __device__ std::enable_if_t<std::is_floating_point_v<T>, int> kind(T)
{ return 0; }
template <typename T> __device__ T lowest() { return std::numeric_limits<T>::lowest(); }

extern "C" __global__ void library(double *out)
{
    out[0] = std::numeric_limits<int>::max();
    out[1] = lowest<char>();
    out[2] = cuda::std::numeric_limits<float>::max();
    out[3] = lowest<float>();
    out[4] = kind(3);
    out[5] = kind(3.0f);
    out[6] = std::is_same<int, int>::value;
    out[7] = std::is_same_v<int, float>;
    out[8] = sizeof(std::conditional_t<(sizeof(int) > 2), double, char>);
    out[9] = sizeof(std::make_unsigned<int>::type);
    int a = 2, b = 7;
    std::swap(a, b);
    out[10] = a;
    out[11] = std::min(a, b);
    out[12] = std::max(3.0, 1.0);
    std::pair<int, float> p = std::make_pair(4, 5.0f);
    out[13] = p.first + p.second;
    std::array<int, 3> list = {1, 2, 5};
    out[14] = list[list.size() - 1];
    out[15] = isinf(std::numeric_limits<double>::infinity());
    out[16] = std::is_pointer<float *>{};
    out[17] = std::plus<int>()(2, 4);
    out[18] = std::clamp(9, 0, 2);
    typedef std::remove_const<const unsigned short>::type word;
    out[19] = std::numeric_limits<word>::max();
    out[20] = std::abs(-3);
    out[21] = ::cuda::std::numeric_limits<unsigned char>::max();
}
