// All threads clear a counter of the block; the barrier comes before it counts.
// Twin: no barrier.
//
//@ buffer out i32 1 empty
//@ run flag_all_clear <<<1, 96>>> (out)
//@ expect out 96
//@ fault RACE-S

extern "C" __global__ void flag_all_clear(int *out)
{
    __shared__ int count;
    count = 0; // <- fault
#ifndef FAULTY
    __syncthreads();
#endif
    atomicAdd(&count, 1); // <- fault
    __syncthreads();
    if (threadIdx.x == 0)
        *out = count;
}
