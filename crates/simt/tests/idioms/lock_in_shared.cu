// A lock in shared memory, taken by one thread of each warp in turn.
// Twin: nobody takes it.
//
//@ buffer out i32 1 empty
//@ run lock_in_shared <<<1, 128>>> (out)
//@ expect out 4
//@ fault RACE-S

extern "C" __global__ void lock_in_shared(int *out)
{
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
#ifndef FAULTY
        while (atomicCAS(&lock, 0, 1) != 0) {
        }
        __threadfence_block();
#endif
        sum += 1; // <- fault
#ifndef FAULTY
        __threadfence_block();
        atomicExch(&lock, 0);
#endif
    }
    __syncthreads();
    if (threadIdx.x == 0)
        *out = sum;
}
