// Exercise 3.1.8: sums of f and f^2, where f = x^2 + y^2 in the solid and 0 outside.

#include "mc_solid.cu"

// x, y, z: n numbers each. Blocks have 256 threads. Block k leaves its sum of f in sums[2k] and
// that of f^2 in sums[2k + 1]; the host adds the blocks. Coordinates are float, sums are double.
extern "C" __global__ void mc_inertia(const float *x, const float *y, const float *z,
                                      unsigned long long n, int id, double *sums)
{
    __shared__ double partial[2][8]; // sums of f and of f^2, one for each warp
    // <lab
    double sum = 0, sum2 = 0;
    unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += threads) {
        float u = x[i], v = y[i];
        double f = (u * u + v * v) * f_product(id, u, v, z[i]);
        sum += f;
        sum2 += f * f;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
        sum2 += __shfl_down_sync(0xffffffffu, sum2, offset);
    }
    if (threadIdx.x % 32 == 0) {
        partial[0][threadIdx.x / 32] = sum;
        partial[1][threadIdx.x / 32] = sum2;
    }
    __syncthreads();

    // Threads 0 and 1 add the warps, each its own sum.
    if (threadIdx.x < 2) {
        double total = 0;
        for (int warp = 0; warp < 8; warp++)
            total += partial[threadIdx.x][warp];
        sums[2 * blockIdx.x + threadIdx.x] = total;
    }
    //~ // As mc_hits, with two sums, and a store in place of the atomic.
    //~ partial[0][0] = 0;
    // lab>
}
