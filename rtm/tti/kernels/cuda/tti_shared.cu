// TTI step with x-y planes in shared memory: for each plane of z the block loads its tile of both
// fields, halo of four points included, and takes the differences within the plane from there;
// those across planes still read global memory.
//
// Arguments as tti_base. All threads of a block load, in one loop over the tile, and meet at the
// barrier, also those with no point of their own. There are two tiles of pairs (p, q): while one is
// computed from, the loads of the next are on their way.

#ifndef BX
#define BX 32
#endif
#ifndef BY
#define BY 16
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 2
#endif

#include "tti_tile.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
tti_shared(Grid g, ARRAYS, const float *__restrict__ p, const float *__restrict__ q,
           float *__restrict__ old_p, float *__restrict__ old_q)
{
    __shared__ float2 tile[2][TILE];
    const int ix = blockIdx.x * BX + threadIdx.x, iy = blockIdx.y * BY + threadIdx.y;
    const bool inside = ix < g.nx && iy < g.ny;
    const int mine = (threadIdx.y + HALF) * PITCH + threadIdx.x + HALF;
    const int from = blockIdx.z * g.chunk, to = min(from + g.chunk, g.nz);

    int where[LOADS];
    float2 next[LOADS];
    places(g, where);
    fetch(g, next, where, p, q, from, true);
    for (int iz = from; iz < to; iz++) {
        float2 *const now = tile[(iz - from) & 1];
        store(now, next);
        __syncthreads();
        fetch(g, next, where, p, q, iz + 1, iz + 1 < to);
        if (!inside)
            continue;
        const float2 *const s = now + mine;
        const int i = g.first + iz * PLANE + iy * ROW + ix;
        const Differences d = {
            even(s, 1),
            even(s, PITCH),
            {second(p + i, PLANE), second(q + i, PLANE)},
            mixed_pair(s, 1, PITCH),
            {mixed(p + i, ROW, PLANE), mixed(q + i, ROW, PLANE)},
            {mixed(p + i, 1, PLANE), mixed(q + i, 1, PLANE)},
        };
        const Coefficients c = ARRAYS_AT(i);
        const float2 before = {old_p[i], old_q[i]};
        const float2 after = advance(g, c, d, s[0], before);
        old_p[i] = after.x;
        old_q[i] = after.y;
    }
}
