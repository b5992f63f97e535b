// One thread, one point: from the naive kernel to a tile in shared memory, one idea after the
// other.
#include "volume.cuh"

// The centre's weight is number 0 of the table; those of the second differences start at number 4,
// 8 for each axis.
#define TABLE(axis, l) table[4 + 8 * (axis) + (l) - 1]

__device__ __forceinline__ void by_table(REAL *next, const REAL *cur, const REAL *prev,
                                         const REAL *v2, const Shape &s, const REAL *table,
                                         long long i)
{
    REAL lap = table[0] * cur[i];
    for (int l = 1; l <= H; ++l) {
        lap += PAIR(TABLE(0, l), cur[i - (long long)l * s.plane], cur[i + (long long)l * s.plane]);
        lap += PAIR(TABLE(1, l), cur[i - l * s.stride], cur[i + l * s.stride]);
        lap += PAIR(TABLE(2, l), cur[i - l], cur[i + l]);
    }
    next[i] = flushed((cur[i] + cur[i] - prev[i]) + v2[i] * lap);
}

// 5, naive: neighbouring threads have neighbouring x, so they touch memory a whole plane apart.
extern "C" __global__ void stencil_naive(STEP_PARAMETERS)
{
    const int ix = box.x0 + blockIdx.x * blockDim.x + threadIdx.x;
    const int iy = box.y0 + blockIdx.y * blockDim.y + threadIdx.y;
    const int iz = box.z0 + blockIdx.z * blockDim.z + threadIdx.z;
    if (ix < box.x1 && iy < box.y1 && iz < box.z1)
        by_table(next, cur, prev, v2, s, table, at(s, ix, iy, iz));
}

// 3, aligned: neighbouring threads have neighbouring z, as memory has.
extern "C" __global__ void stencil_aligned(STEP_PARAMETERS)
{
    const int iz = box.z0 + blockIdx.x * blockDim.x + threadIdx.x;
    const int iy = box.y0 + blockIdx.y * blockDim.y + threadIdx.y;
    const int ix = box.x0 + blockIdx.z * blockDim.z + threadIdx.z;
    if (ix < box.x1 && iy < box.y1 && iz < box.z1)
        by_table(next, cur, prev, v2, s, table, at(s, ix, iy, iz));
}

// 6, constant: the weights come from constant memory (where parameters lie), one request for a
// whole warp.
extern "C" __global__ void stencil_constant(STEP_PARAMETERS)
{
    const int iz = box.z0 + blockIdx.x * blockDim.x + threadIdx.x;
    const int iy = box.y0 + blockIdx.y * blockDim.y + threadIdx.y;
    const int ix = box.x0 + blockIdx.z * blockDim.z + threadIdx.z;
    if (ix >= box.x1 || iy >= box.y1 || iz >= box.z1)
        return;
    const long long i = at(s, ix, iy, iz);
    const REAL centre = cur[i];
    REAL lap = w.centre * centre;
#pragma unroll
    for (int l = 1; l <= H; ++l) {
        lap += PAIR(w.second[0][l - 1], cur[i - (long long)l * s.plane],
                    cur[i + (long long)l * s.plane]);
        lap += PAIR(w.second[1][l - 1], cur[i - l * s.stride], cur[i + l * s.stride]);
        lap += PAIR(w.second[2][l - 1], cur[i - l], cur[i + l]);
    }
    next[i] = flushed((centre + centre - prev[i]) + v2[i] * lap);
}

extern __shared__ __align__(16) unsigned char shared_bytes[];

// 4, shared: the block's part of a plane of x, with its neighbours along y and z, is loaded once
// for all its threads. blockDim.z must be 1; shared memory: (blockDim.x + 2 H) * (blockDim.y + 2 H)
// numbers.
extern "C" __global__ void stencil_shared(STEP_PARAMETERS)
{
    REAL *tile = (REAL *)shared_bytes;
    const int width = blockDim.x + 2 * H, height = blockDim.y + 2 * H;
    const int z0 = box.z0 + blockIdx.x * blockDim.x, y0 = box.y0 + blockIdx.y * blockDim.y;
    const int ix = box.x0 + blockIdx.z;
    for (int row = threadIdx.y; row < height; row += blockDim.y)
        for (int column = threadIdx.x; column < width; column += blockDim.x) {
            const int iy = y0 + row - H, iz = z0 + column - H;
            const bool inside = iy < s.ny + H && iz < s.nz + H;
            tile[row * width + column] = inside ? cur[at(s, ix, iy, iz)] : REAL(0);
        }
    __syncthreads();
    const int iz = z0 + threadIdx.x, iy = y0 + threadIdx.y;
    if (iy >= box.y1 || iz >= box.z1)
        return;
    const long long i = at(s, ix, iy, iz);
    const REAL *centre = tile + (threadIdx.y + H) * width + threadIdx.x + H;
    REAL lap = w.centre * centre[0];
#pragma unroll
    for (int l = 1; l <= H; ++l) {
        lap += PAIR(w.second[0][l - 1], cur[i - (long long)l * s.plane],
                    cur[i + (long long)l * s.plane]);
        lap += PAIR(w.second[1][l - 1], centre[-l * width], centre[l * width]);
        lap += PAIR(w.second[2][l - 1], centre[-l], centre[l]);
    }
    next[i] = flushed((centre[0] + centre[0] - prev[i]) + v2[i] * lap);
}

// 1, march-z: a thread owns a line along z and keeps the 2 H + 1 values around its point in
// registers. Neighbouring threads have neighbouring y: few loads, but a row apart.
extern "C" __global__ void stencil_march_z(STEP_PARAMETERS)
{
    const int iy = box.y0 + blockIdx.x * blockDim.x + threadIdx.x;
    const int ix = box.x0 + blockIdx.y * blockDim.y + threadIdx.y;
    if (ix >= box.x1 || iy >= box.y1)
        return;
    long long i = at(s, ix, iy, box.z0);
    REAL queue[2 * H + 1];
#pragma unroll
    for (int l = 0; l < 2 * H; ++l)
        queue[l + 1] = cur[i + l - H];
    for (int iz = box.z0; iz < box.z1; ++iz, ++i) {
#pragma unroll
        for (int l = 0; l < 2 * H; ++l)
            queue[l] = queue[l + 1];
        queue[2 * H] = cur[i + H];
        REAL lap = w.centre * queue[H];
#pragma unroll
        for (int l = 1; l <= H; ++l) {
            lap += PAIR(w.second[0][l - 1], cur[i - (long long)l * s.plane],
                        cur[i + (long long)l * s.plane]);
            lap += PAIR(w.second[1][l - 1], cur[i - l * s.stride], cur[i + l * s.stride]);
            lap += PAIR(w.second[2][l - 1], queue[H - l], queue[H + l]);
        }
        next[i] = flushed((queue[H] + queue[H] - prev[i]) + v2[i] * lap);
    }
}
