#include <cooperative_groups.h>

// Largest of the n >= 1 values, in `values[0]`: half of them at each step of the whole grid.
extern "C" __global__ void largest(int n, float *values)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (n > 1) {
        int half = (n + 1) / 2;
        if (i < n - half) values[i] = fmaxf(values[i], values[i + half]);
        cooperative_groups::this_grid().sync();
        n = half;
    }
}

extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
