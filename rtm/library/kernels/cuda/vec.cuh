// Sixteen bytes a thread: VEC = 16 / sizeof(REAL) neighbouring points along z as one vector.
#ifndef VEC_CUH
#define VEC_CUH
#include "layers.cuh"

#ifndef SURFACE  // whether the first points along z may be a free surface
#define SURFACE 0
#endif
#ifndef ASYNC
#define ASYNC 0
#endif
#define HV ((H + VEC - 1) / VEC)  // vectors of a halo along z

struct __align__(16) Vec {
    REAL v[VEC];
};

__device__ __forceinline__ Vec load(const REAL *p) { return *(const Vec *)p; }
__device__ __forceinline__ void store(REAL *p, const Vec &a) { *(Vec *)p = a; }

// The same of what is not read again soon: it shall leave the cache before other things.
__device__ __forceinline__ void store_away(REAL *p, const Vec &a)
{
    __stcs((float4 *)p, *(const float4 *)&a);
}

// Asks for 16 bytes of global memory to be put into shared memory. With -DASYNC=1 (compute
// capability 8.0 or more) they travel without a register to wait in, so that as much may be on its
// way as shared memory holds. `arrived` waits for those of the calling thread; `arrived_but_last`
// for all but the group that `end_of_fetches` ended last.
__device__ __forceinline__ void fetch(Vec *to, const REAL *from)
{
#if ASYNC
    const unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
#else
    *to = load(from);
#endif
}

__device__ __forceinline__ void arrived()
{
#if ASYNC
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

__device__ __forceinline__ void end_of_fetches()
{
#if ASYNC
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

__device__ __forceinline__ void arrived_but_last()
{
#if ASYNC
    asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
}

// What `mirror` of shot.cu does, for the points iz .. iz + VEC of a column; `column` is the current
// level from iz = 0 on.
__device__ __forceinline__ void mirror_vec(Vec &next, const Vec &v2, const REAL *column, int iz,
                                           const Weights &w)
{
#pragma unroll
    for (int c = 0; c < VEC; ++c) {
        const int z = iz + c;
        if (z == 0)
            next.v[c] = 0;
        else if (z < H) {
            REAL sum = w.second[2][z] * column[1];
#pragma unroll
            for (int l = 3; l <= H; ++l)
                if (l >= z + 2)
                    sum += w.second[2][l - 1] * column[l - z];
            next.v[c] = flushed(next.v[c] - v2.v[c] * sum);
        }
    }
}

// sum += weight (a + b), sum += weight (b - a)
__device__ __forceinline__ void add_even(Vec &sum, REAL weight, const Vec &a, const Vec &b)
{
#pragma unroll
    for (int c = 0; c < VEC; ++c)
        sum.v[c] += weight * (a.v[c] + b.v[c]);
}

// sum_l w_l (p(+l) - p(-l)) of vectors `step` elements apart
__device__ __forceinline__ Vec odd_vec(const REAL *weights, const REAL *p, long long step)
{
    Vec sum;
#pragma unroll
    for (int l = 1; l <= H; ++l) {
        const Vec minus = load(p - l * step), plus = load(p + l * step);
#pragma unroll
        for (int c = 0; c < VEC; ++c) {
            const REAL term = weights[l - 1] * (plus.v[c] - minus.v[c]);
            sum.v[c] = l == 1 ? term : sum.v[c] + term;
        }
    }
    return sum;
}

// The same of neighbours along z: `window` holds the HV vectors before, the vector itself, and the
// HV behind.
__device__ __forceinline__ REAL odd_window(const REAL *weights, const REAL *window, int c)
{
    REAL sum = weights[0] * (window[HV * VEC + c + 1] - window[HV * VEC + c - 1]);
#pragma unroll
    for (int l = 2; l <= H; ++l)
        sum += weights[l - 1] * (window[HV * VEC + c + l] - window[HV * VEC + c - l]);
    return sum;
}

#endif
