// A block draws the number of its tile; a barrier before all read it.
// Twin: no barrier.
//
//@ buffer out i32 128 empty
//@ symbol drawn i32 1 zero
//@ buffer sum i32 1 zero
//@ run ticket_tile <<<2, 64>>> (out)
//@ run ticket_tile_sum <<<1, 1>>> (out, sum)
//@ expect sum 64
//@ fault RACE-S

__device__ int drawn;

extern "C" __global__ void ticket_tile(int *out)
{
    __shared__ int tile;
    if (threadIdx.x == 0)
        tile = atomicAdd(&drawn, 1);
#ifndef FAULTY
    __syncthreads();
#endif
    out[blockIdx.x * 64 + threadIdx.x] = tile; // <- fault
}

extern "C" __global__ void ticket_tile_sum(const int *out, int *sum)
{
    for (int i = 0; i < 128; ++i)
        *sum += out[i];
}
