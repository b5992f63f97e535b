// The last block to finish adds the sums of all: a fence between a block's sum and its ticket.
// Twin: no fence.
//
//@ buffer part i32 4 empty
//@ buffer total i32 1 empty
//@ symbol done u32 1 zero
//@ run last_block_sums <<<4, 32>>> (part, total)
//@ expect total 10
//@ fault RACE-G

__device__ unsigned done;

extern "C" __global__ void last_block_sums(int *part, int *total)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x + 1;
#ifndef FAULTY
        __threadfence();
#endif
        last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; ++i)
            sum += part[i]; // <- fault
        *total = sum;
    }
}
