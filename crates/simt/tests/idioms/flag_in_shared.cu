// A flag of the block, set by any of its warps, read behind a barrier.
// Twin: read without one.
//
//@ buffer out i32 128 empty
//@ buffer sum i32 1 zero
//@ run flag_in_shared <<<1, 128>>> (out)
//@ run flag_in_shared_sum <<<1, 1>>> (out, sum)
//@ expect sum 128
//@ fault RACE-S

extern "C" __global__ void flag_in_shared(int *out)
{
    __shared__ bool any;
    if (threadIdx.x == 0)
        any = false;
    __syncthreads();
    if (threadIdx.x % 5 == 3)
        any = true; // <- fault
#ifndef FAULTY
    __syncthreads();
#endif
    out[threadIdx.x] = any; // <- fault
}

extern "C" __global__ void flag_in_shared_sum(const int *out, int *sum)
{
    for (int i = 0; i < 128; ++i)
        *sum += out[i];
}
