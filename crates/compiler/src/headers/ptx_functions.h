// What inline PTX calls: floats in fewer bits, matrices of a warp and pairs of halves, by the
// registers that the PTX manual gives each lane.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// How a register holds elements: `count` of them, of which the lowest comes first. `kind` is that
// of `__sum_of_products`.
struct __ptx_f16 {
    enum { kind = 0 };
    static __device__ float at(unsigned int r, int e)
    { return __half2float(__ushort_as_half((unsigned short)(r >> 16 * e))); }
};
struct __ptx_bf16 {
    enum { kind = 1 };
    static __device__ float at(unsigned int r, int e)
    { return __uint_as_float(e ? r & 0xffff0000u : r << 16); }
};
struct __ptx_tf32 { enum { kind = 2 }; };
struct __ptx_s8 {
    enum { count = 4 };
    static __device__ int at(unsigned int r, int e) { return (signed char)(r >> 8 * e); }
};
struct __ptx_u8 {
    enum { count = 4 };
    static __device__ int at(unsigned int r, int e) { return (unsigned char)(r >> 8 * e); }
};

// The bits of a float in fewer: to the nearest, ties to even, for tf32 away from zero. What is no
// number has all bits set but the sign; in tf32 it keeps its upper bits.
__device__ unsigned int __ptx_f16_of(float v) { return __half_as_ushort(__float2half(v)); }
__device__ unsigned int __ptx_bf16_of(float v)
{
    const unsigned int u = __float_as_uint(v);
    return v != v ? 0x7fffu : (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
}
__device__ unsigned int __ptx_tf32_of(float v)
{
    const unsigned int u = __float_as_uint(v);
    return (fabsf(v) < INFINITY ? u + 0x1000u : u) & 0xffffe000u;
}

// A lane has rows lane / 4 and lane / 4 + 8 of A and of the sums, and column lane / 4 of B; of the
// sums the columns 2 (lane % 4) and the next. Sums are two for each row.
//
// Whole numbers:
template <typename A, typename B, typename S>
__device__ void __ptx_products(S *sums, bool tall, int chunks, const unsigned int *a,
                               const unsigned int *b, unsigned int lane)
{
    int row = lane / 4 * 4, column = lane % 4 * 8;
    for (int chunk = 0; chunk < chunks; ++chunk) {
        for (int part = 0; part < 4; ++part) {
            unsigned int left = __shfl_sync(0xffffffffu, b[chunk], column + part);
            unsigned int right = __shfl_sync(0xffffffffu, b[chunk], column + 4 + part);
            for (int k = 0; k < 1 + tall; ++k) {
                unsigned int across =
                    __shfl_sync(0xffffffffu, a[chunk * (1 + tall) + k], row + part);
                for (int e = 0; e < A::count; ++e) {
                    sums[2 * k] += A::at(across, e) * B::at(left, e);
                    sums[2 * k + 1] += A::at(across, e) * B::at(right, e);
                }
            }
        }
    }
}
template <typename A, typename B, typename T, typename S>
__device__ void __ptx_mma4(T &d0, T &d1, T &d2, T &d3, int chunks, unsigned int lane,
                           unsigned int a0, unsigned int a1, unsigned int a2, unsigned int a3,
                           unsigned int b0, unsigned int b1, S c0, S c1, S c2, S c3)
{
    unsigned int a[4] = {a0, a1, a2, a3}, b[2] = {b0, b1};
    S sums[4] = {c0, c1, c2, c3};
    __ptx_products<A, B>(sums, true, chunks, a, b, lane);
    d0 = sums[0];
    d1 = sums[1];
    d2 = sums[2];
    d3 = sums[3];
}
// Sums that stop at the ends of int: exact in 64 bits, then the nearest one.
__device__ int __ptx_within_int(long long sum)
{ return (int)min(max(sum, -0x80000000ll), 0x7fffffffll); }
template <typename A, typename B, typename T>
__device__ void __ptx_mma4_satfinite(T &d0, T &d1, T &d2, T &d3, int chunks, unsigned int lane,
                                     unsigned int a0, unsigned int a1, unsigned int a2,
                                     unsigned int a3, unsigned int b0, unsigned int b1, int c0,
                                     int c1, int c2, int c3)
{
    long long s0, s1, s2, s3;
    __ptx_mma4<A, B>(s0, s1, s2, s3, chunks, lane, a0, a1, a2, a3, b0, b1, (long long)c0,
                     (long long)c1, (long long)c2, (long long)c3);
    d0 = __ptx_within_int(s0);
    d1 = __ptx_within_int(s1);
    d2 = __ptx_within_int(s2);
    d3 = __ptx_within_int(s3);
}
// Floats, and halves: the bits of the sums, as a tensor core makes them.
__device__ void __ptx_float_products(unsigned int *sums, int kind, int chunks,
                                     const unsigned int *a, const unsigned int *b,
                                     unsigned int lane)
{
    unsigned int left[16] = {}, right[16] = {};
    for (int chunk = 0; chunk < chunks; ++chunk) {
        for (int part = 0; part < 4; ++part) {
            for (int k = 0; k < 2; ++k) {
                const int word = 8 * k + 4 * chunk + part;
                left[word] = __shfl_sync(0xffffffffu, a[2 * chunk + k], lane / 4 * 4 + part);
                right[word] =
                    __shfl_sync(0xffffffffu, b[chunk], lane % 4 * 8 + 4 * k + part);
            }
        }
    }
    for (int k = 0; k < 4; ++k) {
        const unsigned int *l = left + k / 2 * 8, *r = right + k % 2 * 8;
        sums[k] = __sum_of_products(kind, sums[k], l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7],
                                    r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]);
    }
}
template <typename A, typename T>
__device__ void __ptx_mma_floats(T &d0, T &d1, T &d2, T &d3, int chunks, unsigned int lane,
                                 unsigned int a0, unsigned int a1, unsigned int a2, unsigned int a3,
                                 unsigned int b0, unsigned int b1, float c0, float c1, float c2,
                                 float c3)
{
    unsigned int a[4] = {a0, a1, a2, a3}, b[2] = {b0, b1};
    unsigned int sums[4] = {__float_as_uint(c0), __float_as_uint(c1), __float_as_uint(c2),
                            __float_as_uint(c3)};
    __ptx_float_products(sums, A::kind, chunks, a, b, lane);
    d0 = __uint_as_float(sums[0]);
    d1 = __uint_as_float(sums[1]);
    d2 = __uint_as_float(sums[2]);
    d3 = __uint_as_float(sums[3]);
}
template <typename T>
__device__ void __ptx_mma_halves(T &d0, T &d1, int chunks, unsigned int lane, unsigned int a0,
                                 unsigned int a1, unsigned int a2, unsigned int a3, unsigned int b0,
                                 unsigned int b1, unsigned int c0, unsigned int c1)
{
    unsigned int a[4] = {a0, a1, a2, a3}, b[2] = {b0, b1};
    unsigned int sums[4] = {c0 & 0xffffu, c0 >> 16, c1 & 0xffffu, c1 >> 16};
    __ptx_float_products(sums, 3, chunks, a, b, lane);
    d0 = sums[0] | sums[1] << 16;
    d1 = sums[2] | sums[3] << 16;
}
template <typename A, typename B, typename T>
__device__ void __ptx_mma2(T &d0, T &d1, unsigned int lane, unsigned int a0, unsigned int b0,
                           int c0, int c1)
{
    unsigned int a[1] = {a0}, b[1] = {b0};
    int sums[2] = {c0, c1};
    __ptx_products<A, B>(sums, false, 1, a, b, lane);
    d0 = sums[0];
    d1 = sums[1];
}
template <typename T> __device__ void __ptx_mma_f64(T &d0, T &d1, unsigned int lane, double a,
                                                    double b, double c0, double c1)
{
    for (int part = 0; part < 4; ++part) {
        double across = __shfl_sync(0xffffffffu, a, lane / 4 * 4 + part);
        double left = __shfl_sync(0xffffffffu, b, lane % 4 * 8 + part);
        double right = __shfl_sync(0xffffffffu, b, lane % 4 * 8 + 4 + part);
        c0 = fma(across, left, c0);
        c1 = fma(across, right, c1);
    }
    d0 = c0;
    d1 = c1;
}

// Matrix `number` of 8 by 8 halves: its rows lie where the lanes from 8 * number on say.
__device__ unsigned int __ptx_ldmatrix(const void *row, unsigned int lane, int number, bool turned)
{
    unsigned long long address = (unsigned long long)row;
    if (turned) {
        int from = 8 * number + lane % 4 * 2;
        const unsigned short *up = (const unsigned short *)__shfl_sync(0xffffffffu, address, from);
        const unsigned short *down =
            (const unsigned short *)__shfl_sync(0xffffffffu, address, from + 1);
        return up[lane / 4] | (unsigned int)down[lane / 4] << 16;
    }
    return (
        (const unsigned int *)__shfl_sync(0xffffffffu, address, 8 * number + lane / 4))[lane % 4];
}
__device__ unsigned int __ptx_movmatrix(unsigned int a, unsigned int lane)
{
    int from = lane % 4 * 8 + lane / 8, half = lane / 4 % 2 * 16;
    unsigned int low = __shfl_sync(0xffffffffu, a, from) >> half,
                 high = __shfl_sync(0xffffffffu, a, from + 4) >> half;
    return (low & 0xffffu) | high << 16;
}

#define __PTX_PAIRS(name, of)                                                                    \
    __device__ unsigned int __ptx_##name##2(unsigned int a, unsigned int b)                      \
    {                                                                                            \
        __half2 r = of##2(*(__half2 *)&a, *(__half2 *)&b);                                       \
        return *(unsigned int *)&r;                                                              \
    }                                                                                            \
    __device__ unsigned short __ptx_##name(unsigned short a, unsigned short b)                   \
    {                                                                                            \
        return __half_as_ushort(of(__ushort_as_half(a), __ushort_as_half(b)));                   \
    }
__PTX_PAIRS(add, __hadd)
__PTX_PAIRS(sub, __hsub)
__PTX_PAIRS(mul, __hmul)
__PTX_PAIRS(max, __hmax)
__PTX_PAIRS(min, __hmin)
#undef __PTX_PAIRS
// Of bfloat16: in float, and rounded.
#define __PTX_BF16(name, result)                                                                 \
    __device__ unsigned short __ptx_##name##_bf16(unsigned short a, unsigned short b)            \
    {                                                                                            \
        const float x = __ptx_bf16::at(a, 0), y = __ptx_bf16::at(b, 0);                          \
        return (unsigned short)__ptx_bf16_of(result);                                            \
    }                                                                                            \
    __device__ unsigned int __ptx_##name##2_bf16(unsigned int a, unsigned int b)                 \
    {                                                                                            \
        return __ptx_##name##_bf16((unsigned short)a, (unsigned short)b) |                       \
               (unsigned int)__ptx_##name##_bf16(a >> 16, b >> 16) << 16;                        \
    }
__PTX_BF16(add, x + y)
__PTX_BF16(sub, x - y)
__PTX_BF16(mul, x * y)
__PTX_BF16(max, fmaxf(x, y))
__PTX_BF16(min, fminf(x, y))
#undef __PTX_BF16
__device__ unsigned short __ptx_fma_bf16(unsigned short a, unsigned short b, unsigned short c)
{
    return __bfloat16_as_ushort(
        __hfma(__ushort_as_bfloat16(a), __ushort_as_bfloat16(b), __ushort_as_bfloat16(c)));
}
__device__ unsigned int __ptx_fma2_bf16(unsigned int a, unsigned int b, unsigned int c)
{
    return __ptx_fma_bf16((unsigned short)a, (unsigned short)b, (unsigned short)c) |
           (unsigned int)__ptx_fma_bf16(a >> 16, b >> 16, c >> 16) << 16;
}

// Adds to memory, and gives what was there.
#define __PTX_ATOMIC(name, type, bits)                                                           \
    __device__ bits __ptx_atomic_##name(void *p, bits value)                                     \
    {                                                                                            \
        const type before = atomicAdd((type *)p, *(type *)&value);                               \
        return *(bits *)&before;                                                                 \
    }
__PTX_ATOMIC(f16, __half, unsigned short)
__PTX_ATOMIC(f16x2, __half2, unsigned int)
__PTX_ATOMIC(bf16, __nv_bfloat16, unsigned short)
__PTX_ATOMIC(bf16x2, __nv_bfloat162, unsigned int)
#undef __PTX_ATOMIC

// Of one number, or of each of a pair; x is the number as a float.
#define __PTX_OF_ONE(name, type, bits, result)                                                   \
    __device__ unsigned short __ptx_##name(unsigned short a)                                     \
    {                                                                                            \
        const float x = type::at(a, 0);                                                          \
        return (unsigned short)bits(result);                                                     \
    }
#define __PTX_OF_EACH(name, suffix)                                                              \
    __device__ unsigned int __ptx_##name##2##suffix(unsigned int a)                              \
    {                                                                                            \
        return __ptx_##name##suffix((unsigned short)a) |                                         \
               (unsigned int)__ptx_##name##suffix(a >> 16) << 16;                                \
    }
#define __PTX_BOTH(name, result)                                                                 \
    __PTX_OF_ONE(name, __ptx_f16, __ptx_f16_of, result)                                          \
    __PTX_OF_ONE(name##_bf16, __ptx_bf16, __ptx_bf16_of, result)                                 \
    __PTX_OF_EACH(name, )                                                                        \
    __PTX_OF_EACH(name, _bf16)
__PTX_BOTH(neg, -x)
__PTX_BOTH(abs, fabsf(x))
__PTX_BOTH(tanh, tanhf(x))
__PTX_BOTH(ex2, exp2f(x))
#undef __PTX_BOTH
#undef __PTX_OF_EACH
#undef __PTX_OF_ONE

__device__ unsigned short __ptx_fma(unsigned short a, unsigned short b, unsigned short c)
{
    return __half_as_ushort(__hfma(__ushort_as_half(a), __ushort_as_half(b), __ushort_as_half(c)));
}
__device__ unsigned int __ptx_fma2(unsigned int a, unsigned int b, unsigned int c)
{
    __half2 r = __hfma2(*(__half2 *)&a, *(__half2 *)&b, *(__half2 *)&c);
    return *(unsigned int *)&r;
}
