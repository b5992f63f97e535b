// Bins in shared memory, cleared, counted and added up between barriers.
// Twin: counted before all bins are cleared.
//
//@ buffer x i32 256 ints 2 0 7
//@ buffer bins i32 8 zero
//@ buffer sum i32 1 zero
//@ run histogram_shared <<<2, 128>>> (x, bins)
//@ run histogram_shared_sum <<<1, 1>>> (bins, sum)
//@ expect sum 256
//@ fault RACE-S

extern "C" __global__ void histogram_shared(const int *x, int *bins)
{
    __shared__ int local[8];
    if (threadIdx.x >= 120)
        local[threadIdx.x - 120] = 0; // <- fault
#ifndef FAULTY
    __syncthreads();
#endif
    atomicAdd(&local[x[blockIdx.x * 128 + threadIdx.x]], 1);
    __syncthreads();
    if (threadIdx.x < 8)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

extern "C" __global__ void histogram_shared_sum(const int *bins, int *sum)
{
    for (int i = 0; i < 8; ++i)
        *sum += bins[i];
}
