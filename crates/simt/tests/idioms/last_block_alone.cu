// Only the last block may look at what all blocks have left.
// Twin: every block looks.
//
//@ buffer part i32 4 zero
//@ buffer total i32 4 zero
//@ symbol done u32 1 zero
//@ run last_block_alone <<<4, 32>>> (part, total)
//@ expect total 0 0 0 4
//@ fault RACE-G

__device__ unsigned done;

extern "C" __global__ void last_block_alone(int *part, int *total)
{
    if (threadIdx.x != 0)
        return;
    part[blockIdx.x] = 1; // <- fault
    __threadfence();
    unsigned ticket = atomicAdd(&done, 1);
#ifdef FAULTY
    if (ticket < 8) {
#else
    if (ticket == gridDim.x - 1) {
#endif
        int sum = 0;
        for (int i = 0; i < gridDim.x; ++i)
            sum += part[i]; // <- fault
        total[gridDim.x - 1] = sum;
    }
}
