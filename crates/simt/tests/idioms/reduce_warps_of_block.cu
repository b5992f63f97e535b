// Sums of warps meet in shared memory, the first warp adds them.
// Twin: no barrier between.
//
//@ buffer out i32 1 empty
//@ run reduce_warps_of_block <<<1, 128>>> (out)
//@ expect out 128
//@ fault RACE-S

__device__ int warp_sum(int v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

extern "C" __global__ void reduce_warps_of_block(int *out)
{
    __shared__ int part[4];
    int v = warp_sum(1);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v; // <- fault
#ifndef FAULTY
    __syncthreads();
#endif
    if (threadIdx.x < 32) {
        v = warp_sum(threadIdx.x < 4 ? part[threadIdx.x] : 0); // <- fault
        if (threadIdx.x == 0)
            *out = v;
    }
}
