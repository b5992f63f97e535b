// Several blocks per row; the last of each row finishes it, all threads of the block behind a
// barrier.
// Twin: the ticket is drawn before the block has written.
//
//@ buffer part i32 128 empty
//@ buffer row i32 2 empty
//@ symbol done u32 2 zero
//@ run last_block_of_rows <<<(2, 2), 32>>> (part, row)
//@ expect row 64 64
//@ fault RACE-G

__device__ unsigned done[2];

extern "C" __global__ void last_block_of_rows(int *part, int *row)
{
    __shared__ bool last;
    int *mine = part + blockIdx.y * 64;
#ifndef FAULTY
    mine[blockIdx.x * 32 + threadIdx.x] = 1;
#endif
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&done[blockIdx.y], 1) == 1;
    __syncthreads();
#ifdef FAULTY
    mine[blockIdx.x * 32 + threadIdx.x] = 1;
#endif
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < 64; ++i)
            sum += mine[i]; // <- fault
        row[blockIdx.y] = sum;
    }
}
