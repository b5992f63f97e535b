// A flag that many set to the same value, and a tile with its barrier.
// Twin: the barrier of the tile is missing; the flag does not hide that.
//
//@ buffer over i32 1 zero
//@ buffer out i32 128 empty
//@ run flag_hides_no_barrier <<<2, 64>>> (over, out)
//@ expect over 1
//@ fault RACE-S

extern "C" __global__ void flag_hides_no_barrier(int *over, int *out)
{
    __shared__ int tile[64];
    if (threadIdx.x > 20)
        *over = 1;
    tile[threadIdx.x] = threadIdx.x; // <- fault
#ifndef FAULTY
    __syncthreads();
#endif
    out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x]; // <- fault
}
