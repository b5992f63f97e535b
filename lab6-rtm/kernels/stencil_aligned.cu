// Exercise 6.2: the same step with neighbouring threads on neighbouring addresses, and the weights
// in constant memory.
//
// next, cur, v2 as in stencil_naive.cu. The block has 32 x 4 x 2 threads; z is the axis whose
// points are neighbours in memory.
#include "wave.cuh"

// <lab
__device__ float weight[H + 1]; // in global memory: where should it be?
// lab>

extern "C" __global__ void stencil_aligned(float *next, const float *cur, const float *v2,
                                           const Shape s)
{
    // <lab
    // Which axis does threadIdx.x count? The grid has as many blocks along x of CUDA as that
    // axis needs.
    // lab>
}
