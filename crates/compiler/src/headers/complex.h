// Complex numbers of `cuda::std` and Thrust.
#pragma once

namespace std {

template <typename T> struct complex {
    typedef T value_type;
    T __re, __im;
    __host__ __device__ constexpr complex(T re = T(0), T im = T(0)) : __re(re), __im(im) {}
    __host__ __device__ constexpr T real() const { return __re; }
    __host__ __device__ constexpr T imag() const { return __im; }
    __host__ __device__ void real(T v) { __re = v; }
    __host__ __device__ void imag(T v) { __im = v; }
    __host__ __device__ complex &operator+=(const complex &b) 
    {
        *this = complex(__re + b.__re, __im + b.__im);
        return *this;
    }
    __host__ __device__ complex &operator-=(const complex &b) 
    {
        *this = complex(__re - b.__re, __im - b.__im);
        return *this;
    }
    __host__ __device__ complex &operator*=(const complex &b)
    {
        *this = complex(__re * b.__re - __im * b.__im, __re * b.__im + __im * b.__re);
        return *this;
    }
    __host__ __device__ complex &operator/=(const complex &b)
    {
        T n = b.__re * b.__re + b.__im * b.__im;
        *this = complex((__re * b.__re + __im * b.__im) / n, (__im * b.__re - __re * b.__im) / n);
        return *this;
    }
    __host__ __device__ friend complex operator+(complex a, const complex &b) { return a += b; }
    __host__ __device__ friend complex operator-(complex a, const complex &b) { return a -= b; }
    __host__ __device__ friend complex operator*(complex a, const complex &b) { return a *= b; }
    __host__ __device__ friend complex operator/(complex a, const complex &b) { return a /= b; }
    __host__ __device__ friend complex operator-(const complex &a)
    { return complex(-a.__re, -a.__im); }
    __host__ __device__ friend bool operator==(const complex &a, const complex &b)
    { return a.__re == b.__re && a.__im == b.__im; }
    __host__ __device__ friend bool operator!=(const complex &a, const complex &b)
    { return !(a == b); }
};
template <typename T> __host__ __device__ T real(const complex<T> &z) { return z.__re; }
template <typename T> __host__ __device__ T imag(const complex<T> &z) { return z.__im; }
template <typename T> __host__ __device__ T norm(const complex<T> &z)
{ return z.__re * z.__re + z.__im * z.__im; }
template <typename T> __host__ __device__ T abs(const complex<T> &z)
{ return hypot(z.__re, z.__im); }
template <typename T> __host__ __device__ T arg(const complex<T> &z)
{ return atan2(z.__im, z.__re); }
template <typename T> __host__ __device__ complex<T> conj(const complex<T> &z)
{ return complex<T>(z.__re, -z.__im); }
template <typename T> __host__ __device__ complex<T> polar(T r, T phi)
{ return complex<T>(r * cos(phi), r * sin(phi)); }
template <typename T> __host__ __device__ complex<T> exp(const complex<T> &z)
{ return polar(exp(z.__re), z.__im); }
template <typename T> __host__ __device__ complex<T> sqrt(const complex<T> &z)
{ return polar(sqrt(abs(z)), arg(z) / 2); }
}

namespace cuda {
namespace std {
using namespace ::std;
}
}

namespace thrust {
using namespace ::std;
}
