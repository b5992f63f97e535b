// TTI step as in the mini-app: each thread owns a column, all 25 + 3 * 64 points of each field are read from global memory, and
// ten arrays hold the coefficients.
//
// Volumes as in tti.cuh; old_p and old_q hold the level before and become the next. Block BX x BY, grid (columns, chunks of z).

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
tti_base(Grid g, const float *__restrict__ cxx, const float *__restrict__ cyy, const float *__restrict__ czz,
         const float *__restrict__ cxy, const float *__restrict__ cyz, const float *__restrict__ cxz,
         const float *__restrict__ v2px, const float *__restrict__ v2pz, const float *__restrict__ v2sz,
         const float *__restrict__ v2pn, const float *__restrict__ p, const float *__restrict__ q,
         float *__restrict__ old_p, float *__restrict__ old_q)
{
    const int ix = blockIdx.x * BX + threadIdx.x, iy = blockIdx.y * BY + threadIdx.y;
    if (ix >= g.nx || iy >= g.ny)
        return;
    const int from = blockIdx.z * g.chunk, to = min(from + g.chunk, g.nz);
    int i = g.first + from * g.plane + iy * g.row + ix;
    for (int iz = from; iz < to; iz++, i += g.plane) {
        const float pxx = second(p + i, 1) * g.xx;
        const float pyy = second(p + i, g.row) * g.yy;
        const float pzz = second(p + i, g.plane) * g.zz;
        const float pxy = mixed(p + i, 1, g.row) * g.xy;
        const float pyz = mixed(p + i, g.row, g.plane) * g.yz;
        const float pxz = mixed(p + i, 1, g.plane) * g.xz;
        const float h1p = cxx[i] * pxx + cyy[i] * pyy + czz[i] * pzz + cxy[i] * pxy + cxz[i] * pxz + cyz[i] * pyz;
        const float h2p = pxx + pyy + pzz - h1p;

        const float qxx = second(q + i, 1) * g.xx;
        const float qyy = second(q + i, g.row) * g.yy;
        const float qzz = second(q + i, g.plane) * g.zz;
        const float qxy = mixed(q + i, 1, g.row) * g.xy;
        const float qyz = mixed(q + i, g.row, g.plane) * g.yz;
        const float qxz = mixed(q + i, 1, g.plane) * g.xz;
        const float h1q = cxx[i] * qxx + cyy[i] * qyy + czz[i] * qzz + cxy[i] * qxy + cxz[i] * qxz + cyz[i] * qyz;
        const float h2q = qxx + qyy + qzz - h1q;

        const float p_tt = v2px[i] * h2p + v2pz[i] * h1q + v2sz[i] * (h1p - h1q);
        const float q_tt = v2pn[i] * h2p + v2pz[i] * h1q - v2sz[i] * (h2p - h2q);
        old_p[i] = p[i] + ((p[i] - old_p[i]) + p_tt * g.dt2);
        old_q[i] = q[i] + ((q[i] - old_q[i]) + q_tt * g.dt2);
    }
}
