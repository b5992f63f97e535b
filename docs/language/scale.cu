// A whole program as it stands: `cargo lab check` compiles its kernel and runs it by scale.run.
#include <cstdio>
#include <stdexcept>

__constant__ float factor;

__global__ void scale(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        x[i] *= factor;
}

int main()
{
    float *x;
    if (cudaMalloc(&x, 100 * sizeof(float)) != cudaSuccess)
        throw std::runtime_error("no memory");
    scale<<<4, 32>>>(x, 100);
    return cudaDeviceSynchronize();
}
