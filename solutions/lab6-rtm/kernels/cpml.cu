// Exercise 6.5: one absorbing layer (CPML), in two launches, a thread for each of its points.
//
// cpml_psi:    psi  = a psi + b dp/di
// cpml_apply:  zeta = a zeta + b (d2p/di2 + dpsi/di),   next += v2 (dpsi/di + zeta)
//
// next, cur, v2 are levels; psi and zeta are the layer's state (struct Face in wave.cuh); i is the
// layer's axis. a[k], b[k] belong to the points that lie k + 1 points deep in the layer: entry
// `layers - 1` to the outermost. psi is 0 outside of its layer. All differences have the order 2 H.
#include "wave.cuh"

__constant__ float weight[H + 1]; // second difference at distance l, divided by the spacing squared
// first difference: sum over l of slope[l] (p[+l] - p[-l]); slope[0] is not used
__constant__ float slope[H + 1];

// Elements from a point to the next along an axis, in a level.
__device__ __forceinline__ int level_step(const Shape &s, int axis)
{
    return axis == 0 ? s.plane : axis == 1 ? s.stride : 1;
}

// The same in the layer's state.
__device__ __forceinline__ int state_step(const Face &f)
{
    return f.axis == 0 ? f.ny * f.nz : f.axis == 1 ? f.nz : 1;
}

// How many points of the layer lie before this one along the axis.
__device__ __forceinline__ int along(const Face &f, int jx, int jy, int jz)
{
    return f.axis == 0 ? jx : f.axis == 1 ? jy : jz;
}

// Which entry of a and b belongs to the point with `d` points before it.
__device__ __forceinline__ int depth(const Shape &s, const Face &f, int d)
{
    // <lab
    return f.side == 0 ? s.layers - 1 - d : d;
    //~ return 0; // At which side does the layer begin with its outermost point?
    // lab>
}

extern "C" __global__ void cpml_psi(float *psi, const float *cur, const float *a, const float *b,
                                    const Shape s, const Face f)
{
    int jz = blockIdx.x * blockDim.x + threadIdx.x;
    int jy = blockIdx.y * blockDim.y + threadIdx.y;
    int jx = blockIdx.z * blockDim.z + threadIdx.z;
    if (jx >= f.nx || jy >= f.ny || jz >= f.nz)
        return;
    int j = (jx * f.ny + jy) * f.nz + jz;                 // in the state
    int i = at(s, f.x0 + jx, f.y0 + jy, f.z0 + jz);       // in a level
    int k = depth(s, f, along(f, jx, jy, jz));
    int step = level_step(s, f.axis);
    // <lab
    float dp = 0;
    for (int l = 1; l <= H; ++l)
        dp += slope[l] * (cur[i + l * step] - cur[i - l * step]);
    psi[j] = a[k] * psi[j] + b[k] * dp;
    //~ // dp/di of cur, then psi.
    // lab>
}

extern "C" __global__ void cpml_apply(float *next, float *zeta, const float *psi, const float *cur,
                                      const float *v2, const float *a, const float *b,
                                      const Shape s, const Face f)
{
    int jz = blockIdx.x * blockDim.x + threadIdx.x;
    int jy = blockIdx.y * blockDim.y + threadIdx.y;
    int jx = blockIdx.z * blockDim.z + threadIdx.z;
    if (jx >= f.nx || jy >= f.ny || jz >= f.nz)
        return;
    int j = (jx * f.ny + jy) * f.nz + jz;
    int i = at(s, f.x0 + jx, f.y0 + jy, f.z0 + jz);
    int d = along(f, jx, jy, jz), k = depth(s, f, d);
    int step = level_step(s, f.axis), j_step = state_step(f);
    // <lab
    float second = weight[0] * cur[i], dpsi = 0;
    for (int l = 1; l <= H; ++l) {
        second += weight[l] * (cur[i - l * step] + cur[i + l * step]);
        if (d + l < s.layers)
            dpsi += slope[l] * psi[j + l * j_step];
        if (d >= l)
            dpsi -= slope[l] * psi[j - l * j_step];
    }
    zeta[j] = a[k] * zeta[j] + b[k] * (second + dpsi);
    next[i] += v2[i] * (dpsi + zeta[j]);
    //~ // d2p/di2 of cur and dpsi/di of psi (which has `layers` points along the axis), then zeta,
    //~ // then next.
    // lab>
}
