// Functions of CUDA C that take more than one operation.
#pragma once

// The distribution of a normal variable: half of the complementary error function.
__device__ double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
__device__ float normcdff(float x) { return (float)normcdf((double)x); }
__device__ float normcdf(float x) { return normcdff(x); }

// Shifts of 64 bits that stop at 32.
__device__ unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int by)
{
    return by >= 32 ? low : __funnelshift_l(low, high, by);
}
__device__ unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int by)
{
    return by >= 32 ? high : __funnelshift_r(low, high, by);
}

// A launch that may begin before the one before it has ended: here it never does.
__device__ void cudaGridDependencySynchronize() {}
__device__ void cudaTriggerProgrammaticLaunchCompletion() {}
