// Tiles of a plane in shared memory, halo of four points included, both fields side by side: pairs
// (p, q). To be included after BX and BY, the threads of a block, are known. All threads bring a
// tile, in one loop over it, and each keeps what it will bring next in registers while the loads
// are on their way.

#include "tti.cuh"

#define THREADS (BX * BY)
#define PITCH (BX + 2 * HALF)
#define TILE (PITCH * (BY + 2 * HALF))
#define LOADS ((TILE + THREADS - 1) / THREADS)
#define NOWHERE (-0x40000000)

// Which points of a tile this thread brings, in plane 0.
__device__ __forceinline__ void places(const Grid &g, int *where)
{
    const int x0 = blockIdx.x * BX, y0 = blockIdx.y * BY, me = threadIdx.y * BX + threadIdx.x;
#pragma unroll
    for (int l = 0; l < LOADS; l++) {
        const int k = me + l * THREADS, ty = k / PITCH, tx = k % PITCH;
        const bool exists = k < TILE && x0 + tx < g.nx + 2 * HALF && y0 + ty < g.ny + 2 * HALF;
        where[l] = exists ? g.first + (y0 - HALF + ty) * ROW + x0 - HALF + tx : NOWHERE;
    }
}

// Asks for them; what is beyond the volume, or not `wanted`, is zero.
__device__ __forceinline__ void fetch(const Grid &g, float2 *next, const int *where,
                                      const float *__restrict__ p, const float *__restrict__ q,
                                      int iz, bool wanted)
{
#pragma unroll
    for (int l = 0; l < LOADS; l++) {
        const bool exists = wanted && where[l] != NOWHERE;
        next[l].x = exists ? p[iz * PLANE + where[l]] : 0.0f;
        next[l].y = exists ? q[iz * PLANE + where[l]] : 0.0f;
    }
}

// Puts them into a tile.
__device__ __forceinline__ void store(float2 *tile, const float2 *next)
{
    const int me = threadIdx.y * BX + threadIdx.x;
#pragma unroll
    for (int l = 0; l < LOADS; l++)
        if (me + l * THREADS < TILE)
            tile[me + l * THREADS] = next[l];
}

// Second difference of both fields, spacing 1.
__device__ __forceinline__ float2 even(const float2 *f, int s)
{
    // Whole pairs: one access for both fields.
    const float2 c = f[0], a = f[s], b = f[2 * s], d = f[3 * s], e = f[4 * s];
    const float2 u = f[-s], v = f[-2 * s], w = f[-3 * s], x = f[-4 * s];
    float2 r;
    r.x = C0 * c.x + C1 * (a.x + u.x) + C2 * (b.x + v.x) + C3 * (d.x + w.x) + C4 * (e.x + x.x);
    r.y = C0 * c.y + C1 * (a.y + u.y) + C2 * (b.y + v.y) + C3 * (d.y + w.y) + C4 * (e.y + x.y);
    return r;
}

// First difference of both fields, spacing 1.
__device__ __forceinline__ float2 odd(const float2 *f, int s)
{
    const float2 a = f[s], b = f[2 * s], d = f[3 * s], e = f[4 * s];
    const float2 u = f[-s], v = f[-2 * s], w = f[-3 * s], x = f[-4 * s];
    float2 r;
    r.x = D1 * (a.x - u.x) + D2 * (b.x - v.x) + D3 * (d.x - w.x) + D4 * (e.x - x.x);
    r.y = D1 * (a.y - u.y) + D2 * (b.y - v.y) + D3 * (d.y - w.y) + D4 * (e.y - x.y);
    return r;
}

__device__ __forceinline__ void add_quad(float2 &sum, float w, float2 a, float2 b, float2 c,
                                         float2 d)
{
    sum.x += w * (a.x - b.x - c.x + d.x);
    sum.y += w * (a.y - b.y - c.y + d.y);
}

#define ADD_QUAD(i, j) \
    add_quad(sum, D##i * D##j, f[i * s + j * t], f[i * s - j * t], f[j * t - i * s], \
             f[-i * s - j * t])

// As `mixed`, of both fields.
__device__ __forceinline__ float2 mixed_pair(const float2 *f, int s, int t)
{
    float2 sum = {};
    ADD_QUAD(1, 1), ADD_QUAD(1, 2), ADD_QUAD(1, 3), ADD_QUAD(1, 4);
    ADD_QUAD(2, 1), ADD_QUAD(2, 2), ADD_QUAD(2, 3), ADD_QUAD(2, 4);
    ADD_QUAD(3, 1), ADD_QUAD(3, 2), ADD_QUAD(3, 3), ADD_QUAD(3, 4);
    ADD_QUAD(4, 1), ADD_QUAD(4, 2), ADD_QUAD(4, 3), ADD_QUAD(4, 4);
    return sum;
}
