// Pairs of halves. Single halves are a type of the compiler.
#pragma once

typedef half2 __half2_raw;
typedef half __nv_half;
typedef half nv_half;
typedef half2 __nv_half2;
typedef half2 nv_half2;

// The bits of a half.
struct __half_raw {
    unsigned short x;
    __host__ __device__ __half_raw() {}
    __host__ __device__ constexpr __half_raw(int bits) : x((unsigned short)bits) {}
    __host__ __device__ __half_raw(half h) : x(__half_as_ushort(h)) {}
    __host__ __device__ operator half() const { return __ushort_as_half(x); }
};

__device__ half2 __floats2half2_rn(float a, float b)
{
    half2 r;
    r.x = __float2half(a);
    r.y = __float2half(b);
    return r;
}
__device__ half2 __float2half2_rn(float a) { return __floats2half2_rn(a, a); }
__device__ half2 __float22half2_rn(float2 a) { return __floats2half2_rn(a.x, a.y); }
__device__ half2 __halves2half2(half a, half b) { half2 r; r.x = a; r.y = b; return r; }
__device__ half2 __half2half2(half a) { return __halves2half2(a, a); }
__device__ half2 make_half2(half a, half b) { return __halves2half2(a, b); }
__device__ float2 __half22float2(half2 a)
{ return make_float2(__half2float(a.x), __half2float(a.y)); }
__device__ float __low2float(half2 a) { return __half2float(a.x); }
__device__ float __high2float(half2 a) { return __half2float(a.y); }
__device__ half __low2half(half2 a) { return a.x; }
__device__ half __high2half(half2 a) { return a.y; }
__device__ half2 __lows2half2(half2 a, half2 b) { return __halves2half2(a.x, b.x); }
__device__ half2 __highs2half2(half2 a, half2 b) { return __halves2half2(a.y, b.y); }
__device__ half2 __lowhigh2highlow(half2 a) { return __halves2half2(a.y, a.x); }
__device__ half2 __hadd2(half2 a, half2 b) { return __halves2half2(a.x + b.x, a.y + b.y); }
__device__ half2 __hsub2(half2 a, half2 b) { return __halves2half2(a.x - b.x, a.y - b.y); }
__device__ half2 __hmul2(half2 a, half2 b) { return __halves2half2(a.x * b.x, a.y * b.y); }
__device__ half2 __h2div(half2 a, half2 b) { return __halves2half2(a.x / b.x, a.y / b.y); }
__device__ half2 __hfma2(half2 a, half2 b, half2 c)
{ return __halves2half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
__device__ half2 __hneg2(half2 a) { return __halves2half2(-a.x, -a.y); }
__device__ half2 operator+(half2 a, half2 b) { return __hadd2(a, b); }
__device__ half2 operator-(half2 a, half2 b) { return __hsub2(a, b); }
__device__ half2 operator*(half2 a, half2 b) { return __hmul2(a, b); }
__device__ half2 operator/(half2 a, half2 b) { return __h2div(a, b); }
__device__ half2 __hgt2(half2 a, half2 b)
{ return __floats2half2_rn(__hgt(a.x, b.x), __hgt(a.y, b.y)); }
__device__ bool __hbgt2(half2 a, half2 b) { return __hgt(a.x, b.x) && __hgt(a.y, b.y); }
__device__ half2 __hge2(half2 a, half2 b)
{ return __floats2half2_rn(__hge(a.x, b.x), __hge(a.y, b.y)); }
__device__ bool __hbge2(half2 a, half2 b) { return __hge(a.x, b.x) && __hge(a.y, b.y); }
__device__ half2 __hlt2(half2 a, half2 b)
{ return __floats2half2_rn(__hlt(a.x, b.x), __hlt(a.y, b.y)); }
__device__ bool __hblt2(half2 a, half2 b) { return __hlt(a.x, b.x) && __hlt(a.y, b.y); }
__device__ half2 __hle2(half2 a, half2 b)
{ return __floats2half2_rn(__hle(a.x, b.x), __hle(a.y, b.y)); }
__device__ bool __hble2(half2 a, half2 b) { return __hle(a.x, b.x) && __hle(a.y, b.y); }
__device__ half2 __heq2(half2 a, half2 b)
{ return __floats2half2_rn(__heq(a.x, b.x), __heq(a.y, b.y)); }
__device__ bool __hbeq2(half2 a, half2 b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }
__device__ half2 __hne2(half2 a, half2 b)
{ return __floats2half2_rn(__hne(a.x, b.x), __hne(a.y, b.y)); }
__device__ bool __hbne2(half2 a, half2 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
__device__ half2 __hmax2(half2 a, half2 b)
{ return __halves2half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
__device__ half2 __hmin2(half2 a, half2 b)
{ return __halves2half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
// Without a branch, so that a loop of compare-and-swap may hold it.
__device__ half __nan_or(half a, half b, half other)
{
    int none = -(int)(__hisnan(a) | __hisnan(b));
    return __ushort_as_half((unsigned short)(__half_as_ushort(other) & ~none | 0x7fff & none));
}
__device__ half __hmax_nan(half a, half b) { return __nan_or(a, b, __hmax(a, b)); }
__device__ half __hmin_nan(half a, half b) { return __nan_or(a, b, __hmin(a, b)); }
__device__ half2 __hmax2_nan(half2 a, half2 b)
{ return __halves2half2(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); }
__device__ half2 __hmin2_nan(half2 a, half2 b)
{ return __halves2half2(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); }
// 1 or -1 for the infinities.
__device__ int __hisinf(half a)
{
    const unsigned short bits = __half_as_ushort(a);
    return (bits & 0x7fff) != 0x7c00 ? 0 : bits >> 15 ? -1 : 1;
}
__device__ half2 __habs2(half2 a) { return __halves2half2(__habs(a.x), __habs(a.y)); }
__device__ half2 __hisnan2(half2 a) { return __floats2half2_rn(__hisnan(a.x), __hisnan(a.y)); }
__device__ half2 h2sqrt(half2 a) { return __halves2half2(hsqrt(a.x), hsqrt(a.y)); }
__device__ half hrsqrt(half a) { return __float2half(rsqrtf(__half2float(a))); }
__device__ half2 h2rsqrt(half2 a) { return __halves2half2(hrsqrt(a.x), hrsqrt(a.y)); }
__device__ half2 h2exp(half2 a) { return __halves2half2(hexp(a.x), hexp(a.y)); }
__device__ half hexp2(half a) { return __float2half(exp2f(__half2float(a))); }
__device__ half2 h2exp2(half2 a) { return __halves2half2(hexp2(a.x), hexp2(a.y)); }
__device__ half hexp10(half a) { return __float2half(exp10f(__half2float(a))); }
__device__ half2 h2exp10(half2 a) { return __halves2half2(hexp10(a.x), hexp10(a.y)); }
__device__ half2 h2log(half2 a) { return __halves2half2(hlog(a.x), hlog(a.y)); }
__device__ half hlog2(half a) { return __float2half(log2f(__half2float(a))); }
__device__ half2 h2log2(half2 a) { return __halves2half2(hlog2(a.x), hlog2(a.y)); }
__device__ half hlog10(half a) { return __float2half(log10f(__half2float(a))); }
__device__ half2 h2log10(half2 a) { return __halves2half2(hlog10(a.x), hlog10(a.y)); }
__device__ half hsin(half a) { return __float2half(sinf(__half2float(a))); }
__device__ half2 h2sin(half2 a) { return __halves2half2(hsin(a.x), hsin(a.y)); }
__device__ half hcos(half a) { return __float2half(cosf(__half2float(a))); }
__device__ half2 h2cos(half2 a) { return __halves2half2(hcos(a.x), hcos(a.y)); }
__device__ half hfloor(half a) { return __float2half(floorf(__half2float(a))); }
__device__ half2 h2floor(half2 a) { return __halves2half2(hfloor(a.x), hfloor(a.y)); }
__device__ half hceil(half a) { return __float2half(ceilf(__half2float(a))); }
__device__ half2 h2ceil(half2 a) { return __halves2half2(hceil(a.x), hceil(a.y)); }
__device__ half htrunc(half a) { return __float2half(truncf(__half2float(a))); }
__device__ half2 h2trunc(half2 a) { return __halves2half2(htrunc(a.x), htrunc(a.y)); }
__device__ half hrint(half a) { return __float2half(rintf(__half2float(a))); }
__device__ half2 h2rint(half2 a) { return __halves2half2(hrint(a.x), hrint(a.y)); }
__device__ half htanh(half a) { return __float2half(tanhf(__half2float(a))); }
__device__ half2 h2tanh(half2 a) { return __halves2half2(htanh(a.x), htanh(a.y)); }
__device__ half hrcp(half a) { return __float2half(1.0f / __half2float(a)); }
__device__ half2 h2rcp(half2 a) { return __halves2half2(hrcp(a.x), hrcp(a.y)); }
__device__ half __hadd_rn(half a, half b) { return __hadd(a, b); }
__device__ half __hadd_sat(half a, half b)
{ return __float2half(__saturatef(__half2float(__hadd(a, b)))); }
__device__ half2 __hadd2_rn(half2 a, half2 b) { return __hadd2(a, b); }
__device__ half2 __hadd2_sat(half2 a, half2 b)
{ return __halves2half2(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)); }
__device__ half __hsub_rn(half a, half b) { return __hsub(a, b); }
__device__ half __hsub_sat(half a, half b)
{ return __float2half(__saturatef(__half2float(__hsub(a, b)))); }
__device__ half2 __hsub2_rn(half2 a, half2 b) { return __hsub2(a, b); }
__device__ half2 __hsub2_sat(half2 a, half2 b)
{ return __halves2half2(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)); }
__device__ half __hmul_rn(half a, half b) { return __hmul(a, b); }
__device__ half __hmul_sat(half a, half b)
{ return __float2half(__saturatef(__half2float(__hmul(a, b)))); }
__device__ half2 __hmul2_rn(half2 a, half2 b) { return __hmul2(a, b); }
__device__ half2 __hmul2_sat(half2 a, half2 b)
{ return __halves2half2(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)); }
__device__ half __hfma_relu(half a, half b, half c)
{ return __hmax(__hfma(a, b, c), __float2half(0.0f)); }
__device__ half2 __low2half2(half2 a) { return __halves2half2(a.x, a.x); }
__device__ half2 __high2half2(half2 a) { return __halves2half2(a.y, a.y); }
__device__ half2 operator-(half2 a) { return __hneg2(a); }
__device__ half2 &operator+=(half2 &a, half2 b) { return a = a + b; }
__device__ half2 &operator-=(half2 &a, half2 b) { return a = a - b; }
__device__ half2 &operator*=(half2 &a, half2 b) { return a = a * b; }
__device__ half2 &operator/=(half2 &a, half2 b) { return a = a / b; }
__device__ bool operator==(half2 a, half2 b) { return __hbeq2(a, b); }
__device__ bool operator!=(half2 a, half2 b) { return !__hbeq2(a, b); }
__device__ half __ushort2half_rn(unsigned short i) { return __float2half((float)i); }
__device__ half __short2half_rn(short i) { return __float2half((float)i); }
__device__ half __uint2half_rn(unsigned int i) { return __float2half((float)i); }
__device__ unsigned short __half2ushort_rn(half a)
{ return (unsigned short)rintf(__half2float(a)); }
__device__ short __half2short_rn(half a) { return (short)rintf(__half2float(a)); }

#include <cuda_fp16_words.h>
__BY_BITS(__half2, unsigned int)
