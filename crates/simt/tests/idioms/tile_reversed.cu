// A tile is filled, then read in another order.
// Twin: no barrier.
//
//@ buffer x i32 4 list 1 2 3 4
//@ buffer out i32 64 empty
//@ buffer ends i32 2 empty
//@ run tile_reversed <<<1, 64>>> (out)
//@ run tile_reversed_ends <<<1, 1>>> (out, ends)
//@ expect ends 63 0
//@ fault RACE-S

extern "C" __global__ void tile_reversed(int *out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x; // <- fault
#ifndef FAULTY
    __syncthreads();
#endif
    out[threadIdx.x] = tile[63 - threadIdx.x]; // <- fault
}

extern "C" __global__ void tile_reversed_ends(const int *out, int *ends)
{
    ends[0] = out[0];
    ends[1] = out[63];
}
