// Unified memory, streams, prefetching, managed variables; a pragma for OpenMP.
//@ symbol counter i32 1 list 5
//@ buffer x i32 32 iota 0 1
//@ run count_even <<<1, 32>>> (x, 32)
//@ expect counter 21
#include <omp.h>
__device__ __managed__ int counter = 5;
__global__ void count_even(const int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] % 2 == 0) atomicAdd(&counter, 1);
}
int main()
{
    cudaStream_t streams[4];
    for (auto &s : streams) cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
#pragma omp parallel for
    for (int i = 0; i < 4; ++i) {
        int *x;
        cudaMallocManaged(&x, 128);
        cudaMemPrefetchAsync(x, 128, 0, streams[i]);
        count_even<<<1, 32, 0, streams[i]>>>(x, 32);
    }
    cudaDeviceSynchronize();
    return counter;
}
