// Exercise 3.1.8: sums of f and f^2, where f = x^2 + y^2 in the solid and 0 outside.

#include "mc_solid.cu"

// x, y, z: n numbers each. Blocks have 256 threads. Block k leaves its sum of f in sums[2k] and
// that of f^2 in sums[2k + 1]; the host adds the blocks. Coordinates are float, sums are double.
extern "C" __global__ void mc_inertia(const float *x, const float *y, const float *z,
                                      unsigned long long n, int id, double *sums)
{
    __shared__ double partial[2][8]; // sums of f and of f^2, one for each warp
    // <lab
    // As mc_hits, with two sums, and a store in place of the atomic.
    partial[0][0] = 0;
    // lab>
}
