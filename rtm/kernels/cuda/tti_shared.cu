// TTI step with x-y planes in shared memory: for each plane of z the block loads its tile of both fields, halo of four points
// included, and takes the differences within the plane from there; those across planes still read global memory.
//
// Arguments as tti_base. All threads of a block load and meet at the barriers, also those with no point of their own.

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
#define PITCH (BX + 2 * HALF)
#define TILE (PITCH * (BY + 2 * HALF))

extern "C" __global__ void __launch_bounds__(BX * BY, MIN_BLOCKS)
tti_shared(Grid g, const float *__restrict__ cxx, const float *__restrict__ cyy, const float *__restrict__ czz,
           const float *__restrict__ cxy, const float *__restrict__ cyz, const float *__restrict__ cxz,
           const float *__restrict__ v2px, const float *__restrict__ v2pz, const float *__restrict__ v2sz,
           const float *__restrict__ v2pn, const float *__restrict__ p, const float *__restrict__ q,
           float *__restrict__ old_p, float *__restrict__ old_q)
{
    __shared__ float tile_p[TILE], tile_q[TILE];
    const int x0 = blockIdx.x * BX, y0 = blockIdx.y * BY;
    const int ix = x0 + threadIdx.x, iy = y0 + threadIdx.y;
    const bool inside = ix < g.nx && iy < g.ny;
    const int me = threadIdx.y * BX + threadIdx.x;
    const float *const sp = tile_p + (threadIdx.y + HALF) * PITCH + threadIdx.x + HALF;
    const float *const sq = tile_q + (threadIdx.y + HALF) * PITCH + threadIdx.x + HALF;

    const int from = blockIdx.z * g.chunk, to = min(from + g.chunk, g.nz);
    for (int iz = from; iz < to; iz++) {
        const int corner = g.first + iz * g.plane + (y0 - HALF) * g.row + x0 - HALF;
        __syncthreads();
        for (int k = me; k < TILE; k += BX * BY) {
            const int ty = k / PITCH, tx = k % PITCH;
            const bool exists = x0 + tx < g.nx + 2 * HALF && y0 + ty < g.ny + 2 * HALF;
            tile_p[k] = exists ? p[corner + ty * g.row + tx] : 0.0f;
            tile_q[k] = exists ? q[corner + ty * g.row + tx] : 0.0f;
        }
        __syncthreads();
        if (!inside)
            continue;
        const int i = g.first + iz * g.plane + iy * g.row + ix;

        const float pxx = second(sp, 1) * g.xx;
        const float pyy = second(sp, PITCH) * g.yy;
        const float pzz = second(p + i, g.plane) * g.zz;
        const float pxy = mixed(sp, 1, PITCH) * g.xy;
        const float pyz = mixed(p + i, g.row, g.plane) * g.yz;
        const float pxz = mixed(p + i, 1, g.plane) * g.xz;
        const float h1p = cxx[i] * pxx + cyy[i] * pyy + czz[i] * pzz + cxy[i] * pxy + cxz[i] * pxz + cyz[i] * pyz;
        const float h2p = pxx + pyy + pzz - h1p;

        const float qxx = second(sq, 1) * g.xx;
        const float qyy = second(sq, PITCH) * g.yy;
        const float qzz = second(q + i, g.plane) * g.zz;
        const float qxy = mixed(sq, 1, PITCH) * g.xy;
        const float qyz = mixed(q + i, g.row, g.plane) * g.yz;
        const float qxz = mixed(q + i, 1, g.plane) * g.xz;
        const float h1q = cxx[i] * qxx + cyy[i] * qyy + czz[i] * qzz + cxy[i] * qxy + cxz[i] * qxz + cyz[i] * qyz;
        const float h2q = qxx + qyy + qzz - h1q;

        const float p_tt = v2px[i] * h2p + v2pz[i] * h1q + v2sz[i] * (h1p - h1q);
        const float q_tt = v2pn[i] * h2p + v2pz[i] * h1q - v2sz[i] * (h2p - h2q);
        old_p[i] = sp[0] + ((sp[0] - old_p[i]) + p_tt * g.dt2);
        old_q[i] = sq[0] + ((sq[0] - old_q[i]) + q_tt * g.dt2);
    }
}
