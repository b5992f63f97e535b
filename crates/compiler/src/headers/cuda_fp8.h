// 8-bit floating-point numbers: 4 bits of exponent and 3 of mantissa, or 5 and 2. Stored as bytes,
// rounded to the nearest, ties to even; beyond the largest number the largest one.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

__host__ __device__ __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                             __nv_fp8_interpretation_t kind)
{
    const bool e4m3 = kind == __NV_E4M3;
    const int mantissa = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
    const float largest = e4m3 ? 448.0f : 57344.0f;
    unsigned int sign = __float_as_uint(x) >> 24 & 0x80u;
    float a = fabsf(x);
    if (!(a == a))
        return (unsigned char)(e4m3 ? 0x7f : 0x7e);
    int e = (int)(__float_as_uint(a) >> 23) - 127;
    e = e < 1 - bias ? 1 - bias : e;
    // In units of the last place; at the smallest exponent numbers are without leading one.
    float scaled = rintf(ldexpf(a, mantissa - e));
    float value = ldexpf(scaled, e - mantissa);
    if (value > largest || a > largest * 2) {
        if (saturate == __NV_SATFINITE)
            return (unsigned char)(sign | (e4m3 ? 0x7eu : 0x7bu));
        return (unsigned char)(sign | (e4m3 ? 0x7fu : 0x7cu));
    }
    unsigned int bits = (unsigned int)scaled + ((unsigned int)(e + bias - 1) << mantissa);
    return (unsigned char)(sign | bits);
}
__host__ __device__ float __fp8_to_float(__nv_fp8_storage_t v, __nv_fp8_interpretation_t kind)
{
    const bool e4m3 = kind == __NV_E4M3;
    const int mantissa = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
    unsigned int bits = v & 0x7fu, e = bits >> mantissa, m = bits & ((1u << mantissa) - 1u);
    float a;
    if (e4m3 ? bits == 0x7fu : e == 31u && m != 0u)
        a = __int_as_float(0x7fffffff);
    else if (!e4m3 && e == 31u)
        a = __int_as_float(0x7f800000);
    else if (e == 0u)
        a = ldexpf((float)m, 1 - bias - mantissa);
    else
        a = ldexpf((float)(m + (1u << mantissa)), (int)e - bias - mantissa);
    return v & 0x80u ? -a : a;
}
__host__ __device__ __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t s,
                                                              __nv_fp8_interpretation_t k)
{
    return __nv_cvt_float_to_fp8((float)x, s, k);
}
__host__ __device__ __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t s,
                                                                  __nv_fp8_interpretation_t k)
{
    return (unsigned short)(__nv_cvt_float_to_fp8(x.x, s, k) | __nv_cvt_float_to_fp8(x.y, s, k)
                                                                   << 8);
}

__host__ __device__ __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t s,
                                                               __nv_fp8_interpretation_t k)
{
    return __nv_cvt_float_to_fp8(__half2float(__ushort_as_half(x.x)), s, k);
}
__host__ __device__ __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                                   __nv_saturation_t s,
                                                                   __nv_fp8_interpretation_t k)
{
    return __nv_cvt_float_to_fp8(__uint_as_float((unsigned int)x.x << 16), s, k);
}
__host__ __device__ __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t v,
                                                       __nv_fp8_interpretation_t kind)
{
    return __half_raw(__float2half(__fp8_to_float(v, kind)));
}
// A power of two by its exponent alone: 2 to the power of v - 127.
__host__ __device__ __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(unsigned char v)
{
    __nv_bfloat16_raw r;
    r.x = v == 255 ? 0x7fff : v == 0 ? 0x0040 : (unsigned short)(v << 7);
    return r;
}

#define __FP8(name, kind) \
    struct name { \
        __nv_fp8_storage_t __x; \
        __host__ __device__ name() {} \
        __host__ __device__ explicit name(float f) \
            : __x(__nv_cvt_float_to_fp8(f, __NV_SATFINITE, kind)) \
        { \
        } \
        __host__ __device__ explicit name(double f) : name((float)f) {} \
        __host__ __device__ explicit name(int i) : name((float)i) {} \
        __host__ __device__ explicit name(__half h) : name((float)h) {} \
        __host__ __device__ explicit operator float() const { return __fp8_to_float(__x, kind); } \
    };
__FP8(__nv_fp8_e4m3, __NV_E4M3)
__FP8(__nv_fp8_e5m2, __NV_E5M2)
#undef __FP8
