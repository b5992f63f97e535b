// TTI step with mixed differences as first differences of first differences, one pass over memory.
//
// A block marches along z. Of each plane it takes, once, the first differences along x and y; those
// of x and y wait in registers until four planes on both sides are known, and their difference
// along z is the mixed one. The difference along x of the one along y is taken within the plane,
// through shared memory. So each mixed difference costs 8 operands in place of 64. Coefficients are
// the axis of symmetry (ax, ay, az) and four squared velocities: 7 arrays in place of 10.
//
// Volumes as in tti.cuh; old_p and old_q hold the level before and become the next. Block BX x BY,
// grid (columns, chunks of z).

#ifndef BX
#define BX 64
#endif
#ifndef BY
#define BY 4
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 2
#endif
// Where differences within the plane wait for theirs across planes: 1 shared memory, 0 registers.
#ifndef WAIT_SHARED
#define WAIT_SHARED 1
#endif
// Planes per turn of the loop: with 9 the queues move without a copy.
#ifndef UNROLL
#define UNROLL 9
#endif

#include "tti_tile.cuh"

#define LEVELS (2 * HALF + 1)

// The queues: the newest plane enters at the end.
__device__ __forceinline__ void push(float2 *queue, float2 value)
{
#pragma unroll
    for (int l = 0; l < LEVELS - 1; l++)
        queue[l] = queue[l + 1];
    queue[LEVELS - 1] = value;
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
tti_best(Grid g, const float *__restrict__ ax, const float *__restrict__ ay,
         const float *__restrict__ az, const float *__restrict__ v2px,
         const float *__restrict__ v2pz, const float *__restrict__ v2sz,
         const float *__restrict__ v2pn, const float *__restrict__ p,
         const float *__restrict__ q, float *__restrict__ old_p, float *__restrict__ old_q)
{
    __shared__ float2 tile[2][TILE];
    __shared__ float2 slope[BY * PITCH]; // first differences along y, with a halo along x
#if WAIT_SHARED
    __shared__ float2 wait_xx[HALF][THREADS], wait_yy[HALF][THREADS], wait_xy[HALF][THREADS];
#else
    // As queues; the older half is never read.
    float2 wait_xx[LEVELS] = {}, wait_yy[LEVELS] = {}, wait_xy[LEVELS] = {};
#endif
    const int ix = blockIdx.x * BX + threadIdx.x, iy = blockIdx.y * BY + threadIdx.y;
    const bool inside = ix < g.nx && iy < g.ny;
    const int me = threadIdx.y * BX + threadIdx.x;
    const int mine = (threadIdx.y + HALF) * PITCH + threadIdx.x + HALF;
    float2 *const my_slope = slope + threadIdx.y * PITCH + threadIdx.x + HALF;
    // The first threads also take the halo columns of `slope`, 2 HALF of them in each row.
    const int halo_row = me / (2 * HALF), halo_side = me % (2 * HALF);
    const int halo_column = halo_side < HALF ? halo_side : BX + halo_side;

    int where[LOADS];
    places(g, where);
    const int from = blockIdx.z * g.chunk, to = min(from + g.chunk, g.nz);
    float2 next[LOADS];
    fetch(g, next, where, p, q, from - HALF, true);
    store(tile[0], next);

    float2 f[LEVELS] = {}, fx[LEVELS] = {}, fy[LEVELS] = {};
#pragma unroll UNROLL
    for (int k = 0; k < to - from + 2 * HALF; k++) {
        __syncthreads(); // the tile is complete, and nobody reads `slope` any more
        const float2 *const now = tile[k & 1];
        const int plane = from - HALF + k; // that entered
        fetch(g, next, where, p, q, plane + 1, plane + 1 < to + HALF);
        const bool out = inside && k >= 2 * HALF;
        const int i = g.first + (plane - HALF) * PLANE + iy * ROW + ix; // the point to be computed
        float nx, ny, nz, px, pz, sz, pn, before_p, before_q;
        if (out) {
            nx = ax[i], ny = ay[i], nz = az[i];
            px = v2px[i], pz = v2pz[i], sz = v2sz[i], pn = v2pn[i];
            before_p = old_p[i], before_q = old_q[i];
        }

        const float2 new_xx = even(now + mine, 1), new_yy = even(now + mine, PITCH);
        const float2 new_fx = odd(now + mine, 1), new_fy = odd(now + mine, PITCH);
        *my_slope = new_fy;
        if (me < 2 * HALF * BY) {
            const int at = halo_row * PITCH + halo_column;
            slope[at] = odd(now + at + HALF * PITCH, PITCH);
        }
        push(f, now[mine]);
        push(fx, new_fx);
        push(fy, new_fy);
        __syncthreads();
        const float2 new_xy = odd(my_slope, 1);
#if WAIT_SHARED
        // Only this thread's own values: no barrier.
        const int slot = k % HALF;
        float2 xx, yy, xy;
        if (k >= HALF)
            xx = wait_xx[slot][me], yy = wait_yy[slot][me], xy = wait_xy[slot][me];
        wait_xx[slot][me] = new_xx, wait_yy[slot][me] = new_yy, wait_xy[slot][me] = new_xy;
#else
        push(wait_xx, new_xx);
        push(wait_yy, new_yy);
        push(wait_xy, new_xy);
        float2 xx = wait_xx[HALF], yy = wait_yy[HALF], xy = wait_xy[HALF];
#endif
        if (out) {
            const float2 zz = even(f + HALF, 1), xz = odd(fx + HALF, 1), yz = odd(fy + HALF, 1);
            const Differences d = {xx, yy, zz, xy, yz, xz};
            const Coefficients c = {nx * nx,        ny * ny,        nz * nz,
                                    2.0f * nx * ny, 2.0f * ny * nz, 2.0f * nx * nz,
                                    px,             pz,             sz,             pn};
            const float2 before = {before_p, before_q};
            const float2 after = advance(g, c, d, f[HALF], before);
            old_p[i] = after.x;
            old_q[i] = after.y;
        }
        store(tile[(k + 1) & 1], next);
    }
}
