// TTI step as tti_shared, but the planes stay in shared memory: a ring holds the planes from four
// below to four above those that the block computes, halo included, so that differences across
// planes are taken from shared memory too, and each block reads both fields once.
//
// Arguments and blocks as tti_base; dynamic shared memory: SLOTS tiles of pairs (p, q). Every mixed
// difference still reads all its 64 points. A turn computes TURN planes: with two, a value that is
// read serves both. All threads of a block load and meet at the barriers, also those with no point
// of their own.

#ifndef BX
#define BX 32
#endif
#ifndef BY
#define BY 16
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 2
#endif
#define TURN 2 // planes that a turn of the loop computes

#include "tti_tile.cuh"

#define LEVELS (2 * HALF + TURN) // planes that a turn reads
#define SLOTS (LEVELS + TURN)    // and those that arrive meanwhile

// Weight of the first difference at `n` steps.
__device__ __forceinline__ float slope_weight(int n)
{
    const int d = n < 0 ? -n : n;
    const float w = d == 1 ? D1 : d == 2 ? D2 : d == 3 ? D3 : d == 4 ? D4 : 0.0f;
    return n < 0 ? -w : w;
}

// Weight of the second difference at `n` steps.
__device__ __forceinline__ float bend_weight(int n)
{
    const int d = n < 0 ? -n : n;
    return d == 0 ? C0 : d == 1 ? C1 : d == 2 ? C2 : d == 3 ? C3 : d == 4 ? C4 : 0.0f;
}

__device__ __forceinline__ void add(float2 &sum, float w, float2 v)
{
    sum.x += w * v.x;
    sum.y += w * v.y;
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
tti_shared_queue(Grid g, ARRAYS, const float *__restrict__ p, const float *__restrict__ q,
                 float *__restrict__ old_p, float *__restrict__ old_q)
{
    extern __shared__ float2 ring[];
    const int ix = blockIdx.x * BX + threadIdx.x, iy = blockIdx.y * BY + threadIdx.y;
    const bool inside = ix < g.nx && iy < g.ny;
    const int mine = (threadIdx.y + HALF) * PITCH + threadIdx.x + HALF;
    const int from = blockIdx.z * g.chunk, to = min(from + g.chunk, g.nz);

    int where[LOADS];
    float2 next[TURN][LOADS];
    places(g, where);
    for (int level = 0; level < LEVELS; level++) {
        const int plane = from - HALF + level;
        fetch(g, next[0], where, p, q, plane, plane < to + HALF);
        store(ring + level * TILE, next[0]);
    }

    int oldest = 0; // slot of plane iz - HALF
    for (int iz = from; iz < to; iz += TURN) {
        __syncthreads(); // the planes of this turn are complete; nobody reads older ones any more
#pragma unroll
        for (int b = 0; b < TURN; b++) {
            const int plane = iz - HALF + LEVELS + b;
            fetch(g, next[b], where, p, q, plane, plane < to + HALF);
        }

        float2 now[TURN];
        Differences d[TURN] = {};
#pragma unroll
        for (int level = 0; level < LEVELS; level++) {
            const int slot = oldest + level < SLOTS ? oldest + level : oldest + level - SLOTS;
            const float2 *const f = ring + slot * TILE + mine;
            const float2 fx = odd(f, 1), fy = odd(f, PITCH);
#pragma unroll
            for (int b = 0; b < TURN; b++) {
                const int n = level - HALF - b; // steps along z from the plane that is computed
                if (n < -HALF || n > HALF)
                    continue;
                add(d[b].zz, bend_weight(n), f[0]);
                if (n != 0) {
                    add(d[b].xz, slope_weight(n), fx);
                    add(d[b].yz, slope_weight(n), fy);
                } else {
                    now[b] = f[0];
                    d[b].xx = even(f, 1);
                    d[b].yy = even(f, PITCH);
                    d[b].xy = mixed_pair(f, 1, PITCH);
                }
            }
        }
#pragma unroll
        for (int b = 0; b < TURN; b++) {
            if (!inside || iz + b >= to)
                continue;
            const int i = g.first + (iz + b) * PLANE + iy * ROW + ix;
            const Coefficients c = ARRAYS_AT(i);
            const float2 before = {old_p[i], old_q[i]};
            const float2 after = advance(g, c, d[b], now[b], before);
            old_p[i] = after.x;
            old_q[i] = after.y;
        }
#pragma unroll
        for (int b = 0; b < TURN; b++) {
            const int slot =
                oldest + LEVELS + b < SLOTS ? oldest + LEVELS + b : oldest + LEVELS + b - SLOTS;
            store(ring + slot * TILE, next[b]);
        }
        oldest = oldest + TURN < SLOTS ? oldest + TURN : oldest + TURN - SLOTS;
    }
}
