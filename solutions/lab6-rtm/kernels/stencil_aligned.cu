// Exercise 6.2: the same step with neighbouring threads on neighbouring addresses, and the weights
// in constant memory.
//
// next, cur, v2 as in stencil_naive.cu. The block has 32 x 4 x 2 threads; z is the axis whose
// points are neighbours in memory.
#include "wave.cuh"

// <lab
__constant__ float weight[H + 1];
//~ __device__ float weight[H + 1]; // in global memory: where should it be?
// lab>

extern "C" __global__ void stencil_aligned(float *next, const float *cur, const float *v2,
                                           const Shape s)
{
    // <lab
    int iz = blockIdx.x * blockDim.x + threadIdx.x;
    int iy = blockIdx.y * blockDim.y + threadIdx.y;
    int ix = blockIdx.z * blockDim.z + threadIdx.z;
    if (ix >= s.nx || iy >= s.ny || iz >= s.nz)
        return;
    int i = at(s, ix, iy, iz);
    float lap = 3 * weight[0] * cur[i];
    for (int l = 1; l <= H; ++l) {
        lap += weight[l] * (cur[i - l * s.plane] + cur[i + l * s.plane]);
        lap += weight[l] * (cur[i - l * s.stride] + cur[i + l * s.stride]);
        lap += weight[l] * (cur[i - l] + cur[i + l]);
    }
    next[i] = 2 * cur[i] - next[i] + v2[i] * lap;
    //~ // Which axis does threadIdx.x count? The grid has as many blocks along x of CUDA as that
    //~ // axis needs.
    // lab>
}
