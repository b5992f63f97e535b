// Arithmetic and conversions rounded downwards (rd), upwards (ru) and towards zero (rz): the
// nearest result, moved by one step where its exact error says so.
#pragma once

// `error`: what the exact result is beyond `r`; only its sign counts.
__device__ float __round_down(float r, float error)
{ return error < 0.0f ? nextafterf(r, -INFINITY) : r; }
__device__ float __round_up(float r, float error)
{ return error > 0.0f ? nextafterf(r, INFINITY) : r; }
__device__ float __round_zero(float r, float error)
{
    return r > 0.0f ? __round_down(r, error) : r < 0.0f ? __round_up(r, error) : r;
}
__device__ double __round_down(double r, double error)
{ return error < 0.0 ? nextafter(r, -(double)INFINITY) : r; }
__device__ double __round_up(double r, double error)
{ return error > 0.0 ? nextafter(r, (double)INFINITY) : r; }
__device__ double __round_zero(double r, double error)
{
    return r > 0.0 ? __round_down(r, error) : r < 0.0 ? __round_up(r, error) : r;
}

// Knuth's exact error of a sum.
template <typename T> __device__ T __sum_error(T a, T b, T sum)
{
    T part = sum - a;
    return (a - (sum - part)) + (b - part);
}
template <typename T> __device__ T __product_error(T a, T b, T product)
{ return fma(a, b, -product); }
// Of a quotient and a root the sign of the error is enough.
template <typename T> __device__ T __quotient_error(T a, T b, T quotient)
{
    T rest = fma(-quotient, b, a);
    return b < T(0) ? -rest : rest;
}
template <typename T> __device__ T __root_error(T a, T root) { return fma(-root, root, a); }
template <typename T> __device__ T __fma_error(T a, T b, T c, T r)
{
    T product = a * b, low = fma(a, b, -product), sum = product + c;
    return ((sum - r) + __sum_error(product, c, sum)) + low;
}

#define __ROUNDED(T, way, suffix, add, sub, mul, div, rcp, root, fused) \
    __device__ T add##suffix(T a, T b) \
    { \
        T r = a + b; \
        return way(r, __sum_error(a, b, r)); \
    } \
    __device__ T sub##suffix(T a, T b) \
    { \
        T r = a - b; \
        return way(r, __sum_error(a, -b, r)); \
    } \
    __device__ T mul##suffix(T a, T b) \
    { \
        T r = a * b; \
        return way(r, __product_error(a, b, r)); \
    } \
    __device__ T div##suffix(T a, T b) \
    { \
        T r = a / b; \
        return way(r, __quotient_error(a, b, r)); \
    } \
    __device__ T rcp##suffix(T a) \
    { \
        T r = T(1) / a; \
        return way(r, __quotient_error(T(1), a, r)); \
    } \
    __device__ T root##suffix(T a) \
    { \
        T r = sqrt(a); \
        return way(r, __root_error(a, r)); \
    } \
    __device__ T fused##suffix(T a, T b, T c) \
    { \
        T r = fma(a, b, c); \
        return way(r, __fma_error(a, b, c, r)); \
    }
#define __ROUNDED_BOTH(way, suffix) \
    __ROUNDED(float, way, suffix, __fadd, __fsub, __fmul, __fdiv, __frcp, __fsqrt, __fmaf) \
    __ROUNDED(double, way, suffix, __dadd, __dsub, __dmul, __ddiv, __drcp, __dsqrt, __fma)
__ROUNDED_BOTH(__round_down, _rd)
__ROUNDED_BOTH(__round_up, _ru)
__ROUNDED_BOTH(__round_zero, _rz)
#undef __ROUNDED_BOTH
#undef __ROUNDED

// Conversions to fewer bits. The error of a whole number is that of its lower bits.
__device__ float __narrowed(double d, float *error)
{
    float r = (float)d;
    *error = (double)r < d ? 1.0f : (double)r > d ? -1.0f : 0.0f;
    return r;
}
template <typename R>
__device__ R __of_magnitude(unsigned long long u, bool negative, int digits, R *error)
{
    int extra = 64 - __clzll(u) - digits;
    unsigned long long kept = extra > 0 ? u >> extra << extra : u;
    *error = kept == u ? R(0) : negative ? R(-1) : R(1);
    return negative ? -(R)kept : (R)kept;
}
__device__ float __narrowed(unsigned long long v, float *error)
{ return __of_magnitude<float>(v, false, 24, error); }
__device__ float __narrowed(long long v, float *error)
{
    return __of_magnitude<float>(v < 0 ? 0 - (unsigned long long)v : v, v < 0, 24, error);
}
__device__ double __narrowed(unsigned long long v, double *error)
{ return __of_magnitude<double>(v, false, 53, error); }
__device__ double __narrowed(long long v, double *error)
{
    return __of_magnitude<double>(v < 0 ? 0 - (unsigned long long)v : v, v < 0, 53, error);
}
#define __CONVERTED(name, From, R, Wide) \
    __device__ R name##_rd(From v) \
    { \
        R error; \
        R r = __narrowed((Wide)v, &error); \
        return __round_down(r, error); \
    } \
    __device__ R name##_ru(From v) \
    { \
        R error; \
        R r = __narrowed((Wide)v, &error); \
        return __round_up(r, error); \
    } \
    __device__ R name##_rz(From v) \
    { \
        R error; \
        R r = __narrowed((Wide)v, &error); \
        return __round_zero(r, error); \
    }
__CONVERTED(__double2float, double, float, double)
__CONVERTED(__int2float, int, float, long long)
__CONVERTED(__uint2float, unsigned int, float, unsigned long long)
__CONVERTED(__ll2float, long long, float, long long)
__CONVERTED(__ull2float, unsigned long long, float, unsigned long long)
__CONVERTED(__ll2double, long long, double, long long)
__CONVERTED(__ull2double, unsigned long long, double, unsigned long long)
#undef __CONVERTED
