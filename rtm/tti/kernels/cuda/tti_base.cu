// TTI step as in the mini-app: each thread owns a column, all 25 + 3 * 64 points of each field are
// read from global memory, and ten arrays hold the coefficients.
//
// Volumes as in tti.cuh; old_p and old_q hold the level before and become the next. Block BX x BY,
// grid (columns, chunks of z).

#include "tti.cuh"

#ifndef BX
#define BX 32
#endif
#ifndef BY
#define BY 16
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1
#endif

extern "C" __global__ void __launch_bounds__(BX * BY, MIN_BLOCKS)
tti_base(Grid g, ARRAYS, const float *__restrict__ p, const float *__restrict__ q,
         float *__restrict__ old_p, float *__restrict__ old_q)
{
    const int ix = blockIdx.x * BX + threadIdx.x, iy = blockIdx.y * BY + threadIdx.y;
    if (ix >= g.nx || iy >= g.ny)
        return;
    const int from = blockIdx.z * g.chunk, to = min(from + g.chunk, g.nz);
    int i = g.first + from * PLANE + iy * ROW + ix;
    for (int iz = from; iz < to; iz++, i += PLANE) {
        const Differences d = {
            {second(p + i, 1), second(q + i, 1)},
            {second(p + i, ROW), second(q + i, ROW)},
            {second(p + i, PLANE), second(q + i, PLANE)},
            {mixed(p + i, 1, ROW), mixed(q + i, 1, ROW)},
            {mixed(p + i, ROW, PLANE), mixed(q + i, ROW, PLANE)},
            {mixed(p + i, 1, PLANE), mixed(q + i, 1, PLANE)},
        };
        const Coefficients c = ARRAYS_AT(i);
        const float2 now = {p[i], q[i]}, before = {old_p[i], old_q[i]};
        const float2 next = advance(g, c, d, now, before);
        old_p[i] = next.x;
        old_q[i] = next.y;
    }
}
