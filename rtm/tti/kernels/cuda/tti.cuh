// What the TTI kernels share: the grid, and central differences of order 8.
//
// Volumes have x as their fastest index, then y, then z; four points of border on each face hold
// zeros. `first` is the index of the first point inside the border, `row` and `plane` are the
// distances between neighbours along y and z. See docs/tti.md.

struct Grid {
    int nx, ny, nz; // points inside the border
    int first, row, plane;
    int chunk;                    // planes that one block computes
    float xx, yy, zz, xy, yz, xz; // 1 / (spacing * spacing)
    float dt2;                    // dt * dt
    float x2, y2, z2;             // spacing * spacing
};

#define HALF 4

// Distances between neighbours along y and z: constants of the program if the host gives them
// (-DROW -DPLANE), so that the addresses of neighbours need no arithmetic.
#ifndef ROW
#define ROW g.row
#define PLANE g.plane
#endif

// First difference at distances 1 to 4; the minus side has the other sign.
#define D1 0.8f
#define D2 (-0.2f)
#define D3 (4.0f / 105.0f)
#define D4 (-1.0f / 280.0f)

// Second difference at distances 0 to 4.
#define C0 (-205.0f / 72.0f)
#define C1 1.6f
#define C2 (-0.2f)
#define C3 (8.0f / 315.0f)
#define C4 (-1.0f / 560.0f)

// Second difference along the axis on which neighbours are `s` elements apart.
__device__ __forceinline__ float second(const float *f, int s)
{
    return C0 * f[0] + C1 * (f[s] + f[-s]) + C2 * (f[2 * s] + f[-2 * s]) +
           C3 * (f[3 * s] + f[-3 * s]) + C4 * (f[4 * s] + f[-4 * s]);
}

// One group of the mixed difference: the four points at i steps along one axis and j along the
// other.
#define QUAD(i, j) \
    (D##i * D##j) * (f[i * s + j * t] - f[i * s - j * t] - f[j * t - i * s] + f[-i * s - j * t])

// Mixed second difference: the product of two first differences, written out over all its 64
// points.
__device__ __forceinline__ float mixed(const float *f, int s, int t)
{
    return QUAD(1, 1) + QUAD(1, 2) + QUAD(1, 3) + QUAD(1, 4) + QUAD(2, 1) + QUAD(2, 2) +
           QUAD(2, 3) + QUAD(2, 4) + QUAD(3, 1) + QUAD(3, 2) + QUAD(3, 3) + QUAD(3, 4) +
           QUAD(4, 1) + QUAD(4, 2) + QUAD(4, 3) + QUAD(4, 4);
}

// The second differences of both fields, spacing 1.
struct Differences {
    float2 xx, yy, zz, xy, yz, xz;
};

// The coefficients of a point by the mini-app's names: six products of the axis' components, four
// squared velocities.
struct Coefficients {
    float xx, yy, zz, xy, yz, xz;
    float v2px, v2pz, v2sz, v2pn;
};

// The ten arrays as parameters of a kernel, and their values at point i.
#define ARRAYS \
    const float *__restrict__ cxx, const float *__restrict__ cyy, const float *__restrict__ czz, \
        const float *__restrict__ cxy, const float *__restrict__ cyz, \
        const float *__restrict__ cxz, const float *__restrict__ v2px, \
        const float *__restrict__ v2pz, const float *__restrict__ v2sz, \
        const float *__restrict__ v2pn
#define ARRAYS_AT(i) \
    {cxx[i], cyy[i], czz[i], cxy[i], cyz[i], cxz[i], v2px[i], v2pz[i], v2sz[i], v2pn[i]}

// The equations: the next level of a point from its present one and the one before. The change
// since the last level is small: so written, only the last sum rounds at the size of the field.
__device__ __forceinline__ float2 advance(const Grid &g, const Coefficients &c,
                                          const Differences &d, float2 now, float2 before)
{
    // Each spacing goes into its coefficient once, for both fields.
    const float xx = c.xx * g.xx, yy = c.yy * g.yy, zz = c.zz * g.zz, xy = c.xy * g.xy,
                yz = c.yz * g.yz, xz = c.xz * g.xz;
    const float h1p =
        xx * d.xx.x + yy * d.yy.x + zz * d.zz.x + xy * d.xy.x + yz * d.yz.x + xz * d.xz.x;
    const float h1q =
        xx * d.xx.y + yy * d.yy.y + zz * d.zz.y + xy * d.xy.y + yz * d.yz.y + xz * d.xz.y;
    const float h2p = g.xx * d.xx.x + g.yy * d.yy.x + g.zz * d.zz.x - h1p;
    const float h2q = g.xx * d.xx.y + g.yy * d.yy.y + g.zz * d.zz.y - h1q;
    const float p_tt = c.v2px * h2p + c.v2pz * h1q + c.v2sz * (h1p - h1q);
    const float q_tt = c.v2pn * h2p + c.v2pz * h1q - c.v2sz * (h2p - h2q);
    float2 next;
    next.x = now.x + ((now.x - before.x) + p_tt * g.dt2);
    next.y = now.y + ((now.y - before.y) + q_tt * g.dt2);
    return next;
}

// The source acts on both fields.
extern "C" __global__ void tti_inject(float *p, float *q, int at, float value)
{
    p[at] += value;
    q[at] += value;
}
