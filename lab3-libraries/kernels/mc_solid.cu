// Exercise 3.1.7: both versions of the predicates of solids.cuh, one thread per point. Given.

#include "solids.cuh"

// f[i] = f_solid of point i, for n points.
extern "C" __global__ void mc_branches(float *f, const float *x, const float *y, const float *z, unsigned long long n, int id)
{
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        f[i] = f_solid(id, x[i], y[i], z[i]);
}

// f[i] = f_product of point i, for n points.
extern "C" __global__ void mc_products(float *f, const float *x, const float *y, const float *z, unsigned long long n, int id)
{
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        f[i] = f_product(id, x[i], y[i], z[i]);
}
