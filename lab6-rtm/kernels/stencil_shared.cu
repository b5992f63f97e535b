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
    // 1. The threads of the block load the tile together: more elements than threads, so
    //    each loads several.
    // 2. Barrier.
    // 3. Threads beyond the grid leave.
    // 4. The step: neighbours along y and z from the tile, along x from cur.
    // lab>
}
