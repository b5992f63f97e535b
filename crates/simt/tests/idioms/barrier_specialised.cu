// One warp fills what the other uses; both come to every barrier.
// Twin: the warp that fills skips the one behind.
//
//@ buffer out i32 32 zero
//@ buffer first i32 1 empty
//@ run barrier_specialised <<<1, 64>>> (out)
//@ run barrier_specialised_first <<<1, 1>>> (out, first)
//@ expect first 6
//@ fault RACE-S

extern "C" __global__ void barrier_specialised(int *out)
{
    __shared__ int tile[32];
    int lane = threadIdx.x % 32, sum = 0;
    for (int k = 0; k < 4; ++k) {
        if (threadIdx.x < 32)
            tile[lane] = k; // <- fault
        __syncthreads();
        if (threadIdx.x >= 32)
            sum += tile[31 - lane]; // <- fault
#ifndef FAULTY
        __syncthreads();
#endif
    }
    if (threadIdx.x >= 32)
        out[lane] = sum;
}

extern "C" __global__ void barrier_specialised_first(const int *out, int *first)
{
    *first = out[0];
}
