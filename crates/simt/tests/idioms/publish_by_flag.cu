// One block writes data, fences, and raises a flag; a later one waits for the flag and reads.
// Twin: no fence.
//
//@ buffer data i32 32 empty
//@ buffer flag i32 1 zero
//@ buffer sum i32 1 zero
//@ run publish_by_flag <<<2, 32>>> (data, flag, sum)
//@ expect sum 32
//@ fault RACE-G

extern "C" __global__ void publish_by_flag(int *data, int *flag, int *sum)
{
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 1;
#ifndef FAULTY
        __threadfence();
#endif
        __syncthreads();
        if (threadIdx.x == 0)
            atomicExch(flag, 1);
    } else {
        if (threadIdx.x == 0) {
            while (atomicAdd(flag, 0) == 0) {
            }
            __threadfence();
        }
        __syncthreads();
        atomicAdd(sum, data[threadIdx.x]); // <- fault
    }
}
