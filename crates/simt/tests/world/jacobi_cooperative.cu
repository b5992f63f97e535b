// Jacobi's method in one cooperative launch: all blocks wait for each other after each sweep.
//@ buffer x f32 8 zero
//@ buffer y f32 8 zero
//@ buffer change f32 4 zero
//@ run jacobi <<<2, 4>>> (x, y, change, 4)
//@ expect x 0 0.375 0.53125 0.6875 0.625 0.6875 0.53125 0.375
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
namespace cg = cooperative_groups;
// Four sweeps from zero, with a source that is twice as strong in the middle at first.
__global__ void jacobi(float *x, float *y, float *change, int sweeps)
{
    auto grid = cg::this_grid();
    const int i = grid.thread_rank(), n = grid.size();
    for (int s = 0; s < sweeps; ++s) {
        const float left = i > 0 ? x[i - 1] : 0, right = i + 1 < n ? x[i + 1] : 0;
        y[i] = i == 0 ? 0 : 0.5f * (left + right) + (s == 0 ? (i == 4 ? 0.5f : 0.25f) : 0.125f);
        cg::sync(grid);
        x[i] = y[i];
        if (i == 0) change[s] = y[0];
        grid.sync();
    }
}
int main(int argc, char **argv)
{
    int device = 0, supported = 0, sweeps = 4; float *x, *y, *c;
    cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, device);
    if (!supported) { printf("no cooperative launch\n"); return EXIT_FAILURE; }
    cudaMalloc(&x, 32); cudaMalloc(&y, 32); cudaMalloc(&c, 16);
    void *args[] = {&x, &y, &c, &sweeps};
    cudaLaunchCooperativeKernel((void *)jacobi, dim3(2), dim3(4), args, 0, nullptr);
    return cudaDeviceSynchronize();
}
