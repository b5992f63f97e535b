// Blocks that stay draw work until there is none left; a barrier before the number is drawn again.
// Twin: the next number is drawn while others still read this one.
//
//@ buffer out i32 512 zero
//@ symbol next i32 1 zero
//@ buffer sum i32 1 zero
//@ run persistent_queue <<<2, 64>>> (out)
//@ run persistent_queue_sum <<<1, 1>>> (out, sum)
//@ expect sum 512
//@ fault RACE-S

__device__ int next;

extern "C" __global__ void persistent_queue(int *out)
{
    __shared__ int item;
    for (;;) {
        if (threadIdx.x == 0)
            item = atomicAdd(&next, 1); // <- fault
        __syncthreads();
        if (item >= 8)
            return;
        out[item * 64 + threadIdx.x] += 1;
#ifndef FAULTY
        __syncthreads();
#endif
    }
}

extern "C" __global__ void persistent_queue_sum(const int *out, int *sum)
{
    for (int i = 0; i < 512; ++i)
        *sum += out[i];
}
