// One thread fetches the number of the next job, and all threads of the block take it from shared
// memory before it may change.
// Twin: the next number may be fetched while others still read this one.
//
//@ buffer next i32 1 zero
//@ buffer done i32 8 zero
//@ run job_for_block <<<2, 64>>> (next, done)
//@ expect done 64 64 64 64 64 64 64 64
//@ fault RACE-S

extern "C" __global__ void job_for_block(int *next, int *done)
{
    __shared__ int job;
    while (true) {
        if (threadIdx.x == 0)
            job = atomicAdd(next, 1); // <- fault
        __syncthreads();
        const int mine = job;
#ifndef FAULTY
        __syncthreads();
#endif
        if (mine >= 8)
            break;
        atomicAdd(&done[mine], 1);
    }
}
