// Exercise 6.3: the block's part of a plane of x, with its neighbours along y and z, is loaded
// once, into shared memory.
//
// next, cur, v2 as in stencil_naive.cu. A block of BZ x BY threads computes as many points of plane
// ix = blockIdx.z: threadIdx.x counts z, threadIdx.y counts y. All threads of a block, those beyond
// the grid too, must reach the barrier.
#include "wave.cuh"

#define BZ 32
#define BY 8

__constant__ float weight[H + 1];

extern "C" __global__ void stencil_shared(float *next, const float *cur, const float *v2,
                                          const Shape s)
{
    __shared__ float tile[BY + 2 * H][BZ + 2 * H];
    int z0 = blockIdx.x * BZ, y0 = blockIdx.y * BY; // the block's first point
    int iz = z0 + threadIdx.x, iy = y0 + threadIdx.y, ix = blockIdx.z;
    // <lab
    // All elements of the tile in their order, 256 at a time.
    for (int t = threadIdx.y * BZ + threadIdx.x; t < (BY + 2 * H) * (BZ + 2 * H); t += BY * BZ) {
        int r = t / (BZ + 2 * H), c = t % (BZ + 2 * H);
        int y = y0 + r - H, z = z0 + c - H;
        if (y < s.ny + H && z < s.nz + H)
            tile[r][c] = cur[at(s, ix, y, z)];
    }
    __syncthreads();
    if (iy >= s.ny || iz >= s.nz)
        return;
    int i = at(s, ix, iy, iz), row = threadIdx.y + H, column = threadIdx.x + H;
    float lap = 3 * weight[0] * tile[row][column];
    for (int l = 1; l <= H; ++l) {
        lap += weight[l] * (cur[i - l * s.plane] + cur[i + l * s.plane]);
        lap += weight[l] * (tile[row - l][column] + tile[row + l][column]);
        lap += weight[l] * (tile[row][column - l] + tile[row][column + l]);
    }
    next[i] = 2 * tile[row][column] - next[i] + v2[i] * lap;
    // lab>
}
