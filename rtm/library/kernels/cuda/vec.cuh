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

__device__ __forceinline__ Vec zeros()
{
    Vec zero;
#pragma unroll
    for (int c = 0; c < VEC; ++c)
        zero.v[c] = 0;
    return zero;
}

// The same of what is not read again soon: it shall leave the cache before other things.
__device__ __forceinline__ void store_away(REAL *p, const Vec &a)
{
    __stcs((float4 *)p, *(const float4 *)&a);
}

// Asks for 16 bytes of global memory to be put into shared memory. With -DASYNC=1 (compute
// capability 8.0 or more) they travel without a register to wait in, so that as much may be on its
// way as shared memory holds. Copies since the last `end_of_group` form a group; `arrived` waits
// for all of the calling thread but those of its latest PENDING groups.
__device__ __forceinline__ void fetch(Vec *to, const REAL *from)
{
#if ASYNC
    const unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
#else
    *to = load(from);
#endif
}

// The same if `wanted`, without a branch.
__device__ __forceinline__ void fetch_if(bool wanted, Vec *to, const REAL *from)
{
#if ASYNC
    const unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("{ .reg .pred wanted; setp.ne.u32 wanted, %2, 0;"
                 " @wanted cp.async.cg.shared.global [%0], [%1], 16; }" ::"r"(shared),
                 "l"(from), "r"((unsigned)wanted)
                 : "memory");
#else
    if (wanted)
        *to = load(from);
#endif
}

__device__ __forceinline__ void end_of_group()
{
#if ASYNC
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <int PENDING>
__device__ __forceinline__ void arrived()
{
#if ASYNC
    if (PENDING == 0)
        asm volatile("cp.async.wait_all;" ::: "memory");
    else
        asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
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

// The vectors HV before `middle` to HV behind, value by value.
__device__ __forceinline__ void window_of(REAL *window, const Vec *middle)
{
#pragma unroll
    for (int k = 0; k <= 2 * HV; ++k) {
        const Vec part = middle[k - HV];
#pragma unroll
        for (int c = 0; c < VEC; ++c)
            window[k * VEC + c] = part.v[c];
    }
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
