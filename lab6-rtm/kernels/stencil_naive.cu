// Exercise 6.1: one time step of the acoustic wave, a thread for each point.
//
// next, cur, v2 are levels (wave.cuh). `next` holds the level before `cur`; the level after `cur`
// takes its place. v2 = (v dt)^2. weight[l], l = 0 .. H: weights of the second difference at
// distance l, divided by the spacing squared.
#include "wave.cuh"

extern "C" __global__ void stencil_naive(float *next, const float *cur, const float *v2,
                                         const float *weight, const Shape s)
{
    int ix = blockIdx.x * blockDim.x + threadIdx.x;
    int iy = blockIdx.y * blockDim.y + threadIdx.y;
    int iz = blockIdx.z * blockDim.z + threadIdx.z;
    // <lab
    // Leave if there is no such point. Then the Laplacian of cur, and the new value in place of
    // the oldest.
    // lab>
}
