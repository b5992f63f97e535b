// Exercise 3.1.8 in another right way: the branching predicate, and a tree in shared memory.

#include "mc_solid.cu"

extern "C" __global__ void mc_inertia(const float *x, const float *y, const float *z,
                                      unsigned long long n, int id, double *sums)
{
    // <lab
    __shared__ double a[256], b[256];
    double s = 0, s2 = 0;
    for (unsigned long long i = (unsigned long long)blockIdx.x * 256 + threadIdx.x; i < n;
         i += (unsigned long long)gridDim.x * 256) {
        double r2 = (double)x[i] * x[i] + (double)y[i] * y[i];
        if (f_solid(id, x[i], y[i], z[i]) == 1) {
            s += r2;
            s2 += r2 * r2;
        }
    }
    a[threadIdx.x] = s;
    b[threadIdx.x] = s2;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            a[threadIdx.x] += a[threadIdx.x + half];
            b[threadIdx.x] += b[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        sums[2 * blockIdx.x] = a[0];
        sums[2 * blockIdx.x + 1] = b[0];
    }
    // lab>
}
