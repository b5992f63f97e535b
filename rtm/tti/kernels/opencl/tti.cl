// What the TTI kernels share: central differences of order 8, and the equations. See docs/tti.md.
//
// Volumes have x as their fastest index, then y, then z; four points of border on each face hold
// zeros. The grid is constants of the program: NX, NY, NZ points inside the border, FIRST the index
// of the first of them, ROW and PLANE the distances between neighbours along y and z; XX, YY, ZZ,
// XY, YZ, XZ are 1 / (spacing * spacing), X2, Y2, Z2 spacing * spacing, DT2 the square of the time
// step. A group of BX x BY work-items computes CHUNK planes of its columns.

#define HALF 4
#define PITCH (BX + 2 * HALF)
#define TILE (PITCH * (BY + 2 * HALF))
#define THREADS (BX * BY)
#define LOADS ((TILE + THREADS - 1) / THREADS)
#define NOWHERE (-0x40000000)
#define GROUP __attribute__((reqd_work_group_size(BX, BY, 1)))

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

// Differences at f[0] for spacing 1, neighbours `s` (and `t`) elements apart. Macros, so that f may
// lie in any memory and may hold one field or both, side by side as float2: (p, q).
#define EVEN(f, s)                                                                                 \
    (C0 * (f)[0] + C1 * ((f)[s] + (f)[-(s)]) + C2 * ((f)[2 * (s)] + (f)[-2 * (s)]) +               \
     C3 * ((f)[3 * (s)] + (f)[-3 * (s)]) + C4 * ((f)[4 * (s)] + (f)[-4 * (s)]))
#define ODD(f, s)                                                                                  \
    (D1 * ((f)[s] - (f)[-(s)]) + D2 * ((f)[2 * (s)] - (f)[-2 * (s)]) +                             \
     D3 * ((f)[3 * (s)] - (f)[-3 * (s)]) + D4 * ((f)[4 * (s)] - (f)[-4 * (s)]))

// Mixed second difference: the product of two first differences, written out over all its 64
// points.
#define QUAD(f, s, t, i, j)                                                                        \
    (D##i * D##j) * ((f)[i * (s) + j * (t)] - (f)[i * (s) - j * (t)] - (f)[j * (t) - i * (s)] +    \
                     (f)[-i * (s) - j * (t)])
#define QUADS(f, s, t, i)                                                                          \
    (QUAD(f, s, t, i, 1) + QUAD(f, s, t, i, 2) + QUAD(f, s, t, i, 3) + QUAD(f, s, t, i, 4))
#define MIXED(f, s, t)                                                                             \
    (QUADS(f, s, t, 1) + QUADS(f, s, t, 2) + QUADS(f, s, t, 3) + QUADS(f, s, t, 4))

// The second differences of both fields, spacing 1.
typedef struct {
    float2 xx, yy, zz, xy, yz, xz;
} Differences;

// The coefficients of a point by the mini-app's names: six products of the axis' components, four
// squared velocities.
typedef struct {
    float xx, yy, zz, xy, yz, xz;
    float v2px, v2pz, v2sz, v2pn;
} Coefficients;

// The ten arrays as parameters of a kernel, and their values at point i.
#define ARRAYS                                                                                     \
    global const float *restrict cxx, global const float *restrict cyy,                            \
        global const float *restrict czz, global const float *restrict cxy,                        \
        global const float *restrict cyz, global const float *restrict cxz,                        \
        global const float *restrict v2px, global const float *restrict v2pz,                      \
        global const float *restrict v2sz, global const float *restrict v2pn
#define ARRAYS_AT(i)                                                                               \
    {cxx[i], cyy[i], czz[i], cxy[i], cyz[i], cxz[i], v2px[i], v2pz[i], v2sz[i], v2pn[i]}

// Both fields at the present level, and the level before, which becomes the next.
#define FIELDS                                                                                     \
    global const float *restrict p, global const float *restrict q, global float *restrict old_p,  \
        global float *restrict old_q

// The equations: the next level of a point from its present one and the one before. The change
// since the last level is small: so written, only the last sum rounds at the size of the field.
float2 advance(const Coefficients c, const Differences d, const float2 now, const float2 before)
{
    const float2 h1 = (c.xx * XX) * d.xx + (c.yy * YY) * d.yy + (c.zz * ZZ) * d.zz +
                      (c.xy * XY) * d.xy + (c.yz * YZ) * d.yz + (c.xz * XZ) * d.xz;
    const float2 h2 = XX * d.xx + YY * d.yy + ZZ * d.zz - h1;
    const float p_tt = c.v2px * h2.x + c.v2pz * h1.y + c.v2sz * (h1.x - h1.y);
    const float q_tt = c.v2pn * h2.x + c.v2pz * h1.y - c.v2sz * (h2.x - h2.y);
    return now + ((now - before) + (float2)(p_tt, q_tt) * DT2);
}

// All work-items of a group bring a tile of a plane, halo of four points included, in one loop over
// it: which points this one brings, in plane 0 ...
void places(int *where)
{
    const int x0 = get_group_id(0) * BX, y0 = get_group_id(1) * BY;
#pragma unroll
    for (int l = 0; l < LOADS; l++) {
        const int k = get_local_id(1) * BX + get_local_id(0) + l * THREADS, tx = k % PITCH,
                  ty = k / PITCH;
        const bool exists = k < TILE && x0 + tx < NX + 2 * HALF && y0 + ty < NY + 2 * HALF;
        where[l] = exists ? FIRST + (y0 - HALF + ty) * ROW + x0 - HALF + tx : NOWHERE;
    }
}

// ... asks for them; what is beyond the volume, or not `wanted`, is zero ...
void fetch(float2 *next, const int *where, global const float *restrict p,
           global const float *restrict q, int iz, bool wanted)
{
#pragma unroll
    for (int l = 0; l < LOADS; l++) {
        const int at = where[l] + iz * PLANE;
        next[l] = wanted && where[l] != NOWHERE ? (float2)(p[at], q[at]) : (float2)(0.0f, 0.0f);
    }
}

// ... and, when they have come, puts them into the tile.
void store(local float2 *tile, const float2 *next)
{
#pragma unroll
    for (int l = 0; l < LOADS; l++) {
        const int k = get_local_id(1) * BX + get_local_id(0) + l * THREADS;
        if (k < TILE)
            tile[k] = next[l];
    }
}

// The source acts on both fields.
kernel void tti_inject(global float *p, global float *q, int at, float value)
{
    p[at] += value;
    q[at] += value;
}
