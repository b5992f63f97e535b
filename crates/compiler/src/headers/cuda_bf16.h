// bfloat16: the upper half of a float. Arithmetic is done in float and rounded to the nearest, ties
// to even, after each operation, as the card does.
#pragma once

// The bits of a bfloat16.
struct __nv_bfloat16_raw {
    unsigned short x;
};
struct __nv_bfloat16 {
    unsigned short bits;
    __host__ __device__ __nv_bfloat16() {}
    __host__ __device__ __nv_bfloat16(__nv_bfloat16_raw raw) : bits(raw.x) {}
    __host__ __device__ __nv_bfloat16(float f)
    {
        unsigned int u = __float_as_uint(f);
        bits = (u & 0x7fffffffu) > 0x7f800000u ? 0x7fff : (u + 0x7fffu + (u >> 16 & 1)) >> 16;
    }
    // Rounded once: the float between has an odd last bit where it is not exact.
    __host__ __device__ __nv_bfloat16(double v)
    {
        const float near = (float)v;
        const unsigned int u = __float_as_uint(near) - (fabs((double)near) > fabs(v));
        *this = __nv_bfloat16(__uint_as_float((double)near != v ? u | 1 : u));
    }
    __host__ __device__ __nv_bfloat16(int i) : __nv_bfloat16((double)i) {}
    __host__ __device__ __nv_bfloat16(unsigned int i) : __nv_bfloat16((double)i) {}
    // What a double cannot hold makes the last bit of one odd.
    __host__ __device__ __nv_bfloat16(unsigned long long i)
        : __nv_bfloat16(i >> 53 ? (double)(i >> 11 | ((i & 2047) != 0)) * 2048.0 : (double)i)
    {}
    __host__ __device__ __nv_bfloat16(long long i)
        : __nv_bfloat16(i < 0 ? 0ull - (unsigned long long)i : (unsigned long long)i)
    {
        if (i < 0)
            bits ^= 0x8000;
    }
    __host__ __device__ __nv_bfloat16(unsigned long i) : __nv_bfloat16((unsigned long long)i) {}
    __host__ __device__ __nv_bfloat16(long i) : __nv_bfloat16((long long)i) {}
    __host__ __device__ operator float() const { return __uint_as_float((unsigned int)bits << 16); }
};
typedef __nv_bfloat16 nv_bfloat16;
struct __align__(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
};
typedef __nv_bfloat162 nv_bfloat162;

__host__ __device__ float __bfloat162float(__nv_bfloat16 a)
{ return __uint_as_float((unsigned int)a.bits << 16); }
__host__ __device__ __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }
__host__ __device__ __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
__host__ __device__ __nv_bfloat16 __double2bfloat16(double f) { return __nv_bfloat16(f); }
__host__ __device__ __nv_bfloat16 __int2bfloat16_rn(int i) { return __nv_bfloat16(i); }
__host__ __device__ __nv_bfloat16 __uint2bfloat16_rn(unsigned int i) { return __nv_bfloat16(i); }
__host__ __device__ __nv_bfloat16 __short2bfloat16_rn(short i) { return __nv_bfloat16((float)i); }
__host__ __device__ __nv_bfloat16 __ushort2bfloat16_rn(unsigned short i)
{ return __nv_bfloat16((float)i); }
__host__ __device__ int __bfloat162int_rz(__nv_bfloat16 a) { return (int)__bfloat162float(a); }
__host__ __device__ unsigned int __bfloat162uint_rz(__nv_bfloat16 a)
{ return (unsigned int)__bfloat162float(a); }
__device__ int __bfloat162int_rn(__nv_bfloat16 a) { return __float2int_rn(__bfloat162float(a)); }
__host__ __device__ unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.bits; }
__host__ __device__ __nv_bfloat16 __ushort_as_bfloat16(unsigned short b)
{
    __nv_bfloat16 a;
    a.bits = b;
    return a;
}
__device__ __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    __nv_bfloat162 r;
    r.x = a;
    r.y = b;
    return r;
}
__device__ __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{ return __halves2bfloat162(a, b); }
__device__ __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __halves2bfloat162(a, a); }
__device__ __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{ return __halves2bfloat162(__nv_bfloat16(a), __nv_bfloat16(b)); }
__device__ __nv_bfloat162 __float2bfloat162_rn(float a) { return __floats2bfloat162_rn(a, a); }
__device__ __nv_bfloat162 __float22bfloat162_rn(float2 a)
{ return __floats2bfloat162_rn(a.x, a.y); }
__device__ float2 __bfloat1622float2(__nv_bfloat162 a)
{ return make_float2(__bfloat162float(a.x), __bfloat162float(a.y)); }
__device__ float __low2float(__nv_bfloat162 a) { return __bfloat162float(a.x); }
__device__ float __high2float(__nv_bfloat162 a) { return __bfloat162float(a.y); }
__device__ __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
__device__ __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }

__device__ __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b)
{ return __nv_bfloat16(__bfloat162float(a) + __bfloat162float(b)); }
__device__ __nv_bfloat16 operator+(__nv_bfloat16 a, __nv_bfloat16 b) { return __hadd(a, b); }
__device__ __nv_bfloat16 &operator+=(__nv_bfloat16 &a, __nv_bfloat16 b)
{ return a = __hadd(a, b); }
__device__ __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b)
{ return __halves2bfloat162(__hadd(a.x, b.x), __hadd(a.y, b.y)); }
__device__ __nv_bfloat162 operator+(__nv_bfloat162 a, __nv_bfloat162 b) { return __hadd2(a, b); }
__device__ __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b)
{ return __nv_bfloat16(__bfloat162float(a) - __bfloat162float(b)); }
__device__ __nv_bfloat16 operator-(__nv_bfloat16 a, __nv_bfloat16 b) { return __hsub(a, b); }
__device__ __nv_bfloat16 &operator-=(__nv_bfloat16 &a, __nv_bfloat16 b)
{ return a = __hsub(a, b); }
__device__ __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b)
{ return __halves2bfloat162(__hsub(a.x, b.x), __hsub(a.y, b.y)); }
__device__ __nv_bfloat162 operator-(__nv_bfloat162 a, __nv_bfloat162 b) { return __hsub2(a, b); }
__device__ __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b)
{ return __nv_bfloat16(__bfloat162float(a) * __bfloat162float(b)); }
__device__ __nv_bfloat16 operator*(__nv_bfloat16 a, __nv_bfloat16 b) { return __hmul(a, b); }
__device__ __nv_bfloat16 &operator*=(__nv_bfloat16 &a, __nv_bfloat16 b)
{ return a = __hmul(a, b); }
__device__ __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b)
{ return __halves2bfloat162(__hmul(a.x, b.x), __hmul(a.y, b.y)); }
__device__ __nv_bfloat162 operator*(__nv_bfloat162 a, __nv_bfloat162 b) { return __hmul2(a, b); }
__device__ __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b)
{ return __nv_bfloat16(__bfloat162float(a) / __bfloat162float(b)); }
__device__ __nv_bfloat16 operator/(__nv_bfloat16 a, __nv_bfloat16 b) { return __hdiv(a, b); }
__device__ __nv_bfloat16 &operator/=(__nv_bfloat16 &a, __nv_bfloat16 b)
{ return a = __hdiv(a, b); }
__device__ __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b)
{ return __halves2bfloat162(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
__device__ __nv_bfloat162 operator/(__nv_bfloat162 a, __nv_bfloat162 b) { return __h2div(a, b); }
__device__ bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b)
{ return __bfloat162float(a) > __bfloat162float(b); }
__device__ bool operator>(__nv_bfloat16 a, __nv_bfloat16 b)
{ return __bfloat162float(a) > __bfloat162float(b); }
__device__ bool __hge(__nv_bfloat16 a, __nv_bfloat16 b)
{ return __bfloat162float(a) >= __bfloat162float(b); }
__device__ bool operator>=(__nv_bfloat16 a, __nv_bfloat16 b)
{ return __bfloat162float(a) >= __bfloat162float(b); }
__device__ bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b)
{ return __bfloat162float(a) < __bfloat162float(b); }
__device__ bool operator<(__nv_bfloat16 a, __nv_bfloat16 b)
{ return __bfloat162float(a) < __bfloat162float(b); }
__device__ bool __hle(__nv_bfloat16 a, __nv_bfloat16 b)
{ return __bfloat162float(a) <= __bfloat162float(b); }
__device__ bool operator<=(__nv_bfloat16 a, __nv_bfloat16 b)
{ return __bfloat162float(a) <= __bfloat162float(b); }
__device__ bool __heq(__nv_bfloat16 a, __nv_bfloat16 b)
{ return __bfloat162float(a) == __bfloat162float(b); }
__device__ bool operator==(__nv_bfloat16 a, __nv_bfloat16 b)
{ return __bfloat162float(a) == __bfloat162float(b); }
__device__ bool __hne(__nv_bfloat16 a, __nv_bfloat16 b)
{ return __bfloat162float(a) != __bfloat162float(b); }
__device__ bool operator!=(__nv_bfloat16 a, __nv_bfloat16 b)
{ return __bfloat162float(a) != __bfloat162float(b); }
__device__ __nv_bfloat16 __hneg(__nv_bfloat16 a) { return __ushort_as_bfloat16(a.bits ^ 0x8000); }
__device__ __nv_bfloat16 operator-(__nv_bfloat16 a) { return __hneg(a); }
__device__ __nv_bfloat16 operator+(__nv_bfloat16 a) { return a; }
__device__ __nv_bfloat16 &operator++(__nv_bfloat16 &a) { return a += __nv_bfloat16(1.0f); }
__device__ __nv_bfloat16 &operator--(__nv_bfloat16 &a) { return a -= __nv_bfloat16(1.0f); }
__device__ __nv_bfloat16 __habs(__nv_bfloat16 a) { return __ushort_as_bfloat16(a.bits & 0x7fff); }
__device__ __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    const double product = (double)__bfloat162float(a) * (double)__bfloat162float(b);
    const double z = __bfloat162float(c), sum = product + z, part = sum - product;
    // What the sum lacks (Knuth) makes its last bit odd.
    const double rest = (product - (sum - part)) + (z - part);
    long long bits = __double_as_longlong(sum);
    if (isfinite(sum) && rest != 0.0)
        bits = (bits - ((rest > 0.0) != (sum > 0.0))) | 1;
    return __nv_bfloat16(__longlong_as_double(bits));
}
__device__ __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{ return __halves2bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
#define __BFLOAT_OF_TWO(name)                                                                      \
    __device__ __nv_bfloat16 name##_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return name(a, b); }    \
    __device__ __nv_bfloat16 name##_sat(__nv_bfloat16 a, __nv_bfloat16 b)                          \
    { return __nv_bfloat16(__saturatef(__bfloat162float(name(a, b)))); }                           \
    __device__ __nv_bfloat162 name##2_rn(__nv_bfloat162 a, __nv_bfloat162 b)                       \
    { return __halves2bfloat162(name(a.x, b.x), name(a.y, b.y)); }                                 \
    __device__ __nv_bfloat162 name##2_sat(__nv_bfloat162 a, __nv_bfloat162 b)                      \
    { return __halves2bfloat162(name##_sat(a.x, b.x), name##_sat(a.y, b.y)); }
__BFLOAT_OF_TWO(__hadd)
__BFLOAT_OF_TWO(__hsub)
__BFLOAT_OF_TWO(__hmul)
#undef __BFLOAT_OF_TWO
__device__ __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b)
{ return __nv_bfloat16(fmaxf(__bfloat162float(a), __bfloat162float(b))); }
__device__ __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b)
{ return __nv_bfloat16(fminf(__bfloat162float(a), __bfloat162float(b))); }
__device__ __nv_bfloat16 __hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{ return __nv_bfloat16(__saturatef(__bfloat162float(__hfma(a, b, c)))); }
__device__ __nv_bfloat16 __hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{ return __hmax(__hfma(a, b, c), __nv_bfloat16(0.0f)); }
__device__ int __hisinf(__nv_bfloat16 a)
{ return (a.bits & 0x7fff) != 0x7f80 ? 0 : a.bits >> 15 ? -1 : 1; }
__device__ __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b)
{ return __halves2bfloat162(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
__device__ __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b)
{ return __halves2bfloat162(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
__device__ bool __hisnan(__nv_bfloat16 a) { return isnan(__bfloat162float(a)); }
__device__ __nv_bfloat16 hexp(__nv_bfloat16 a) { return __nv_bfloat16(expf(__bfloat162float(a))); }
__device__ __nv_bfloat16 hlog(__nv_bfloat16 a) { return __nv_bfloat16(logf(__bfloat162float(a))); }
__device__ __nv_bfloat16 hsqrt(__nv_bfloat16 a)
{ return __nv_bfloat16(sqrtf(__bfloat162float(a))); }
__device__ __nv_bfloat16 hrsqrt(__nv_bfloat16 a)
{ return __nv_bfloat16(rsqrtf(__bfloat162float(a))); }
__device__ __nv_bfloat16 hrcp(__nv_bfloat16 a) { return __nv_bfloat16(1.0f / __bfloat162float(a)); }
__device__ __nv_bfloat16 hsin(__nv_bfloat16 a) { return __nv_bfloat16(sinf(__bfloat162float(a))); }
__device__ __nv_bfloat16 hcos(__nv_bfloat16 a) { return __nv_bfloat16(cosf(__bfloat162float(a))); }
__device__ __nv_bfloat16 hexp2(__nv_bfloat16 a)
{ return __nv_bfloat16(exp2f(__bfloat162float(a))); }
__device__ __nv_bfloat16 hexp10(__nv_bfloat16 a)
{ return __nv_bfloat16(exp10f(__bfloat162float(a))); }
__device__ __nv_bfloat16 hlog2(__nv_bfloat16 a)
{ return __nv_bfloat16(log2f(__bfloat162float(a))); }
__device__ __nv_bfloat16 hlog10(__nv_bfloat16 a)
{ return __nv_bfloat16(log10f(__bfloat162float(a))); }
__device__ __nv_bfloat16 hfloor(__nv_bfloat16 a)
{ return __nv_bfloat16(floorf(__bfloat162float(a))); }
__device__ __nv_bfloat16 hceil(__nv_bfloat16 a)
{ return __nv_bfloat16(ceilf(__bfloat162float(a))); }
__device__ __nv_bfloat16 htrunc(__nv_bfloat16 a)
{ return __nv_bfloat16(truncf(__bfloat162float(a))); }
__device__ __nv_bfloat16 hrint(__nv_bfloat16 a)
{ return __nv_bfloat16(rintf(__bfloat162float(a))); }
__device__ __nv_bfloat16 __nan_or(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 other)
{
    int none = -(int)(__hisnan(a) | __hisnan(b));
    return __ushort_as_bfloat16((unsigned short)(other.bits & ~none | 0x7fff & none));
}
__device__ __nv_bfloat16 __hmax_nan(__nv_bfloat16 a, __nv_bfloat16 b)
{ return __nan_or(a, b, __hmax(a, b)); }
__device__ __nv_bfloat16 __hmin_nan(__nv_bfloat16 a, __nv_bfloat16 b)
{ return __nan_or(a, b, __hmin(a, b)); }
__device__ __nv_bfloat16 htanh(__nv_bfloat16 a)
{ return __nv_bfloat16(tanhf(__bfloat162float(a))); }

#include <cuda_bf16_words.h>
__BY_BITS(__nv_bfloat16, unsigned short)
__BY_BITS(__nv_bfloat162, unsigned int)
