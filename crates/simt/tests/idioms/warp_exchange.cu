// Lanes exchange through shared memory, each warp in its own part.
// Twin: without __syncwarp.
//
//@ buffer out i32 64 empty
//@ buffer ends i32 2 empty
//@ run warp_exchange <<<1, 64>>> (out)
//@ run warp_exchange_ends <<<1, 1>>> (out, ends)
//@ expect ends 31 32
//@ fault RACE-S

extern "C" __global__ void warp_exchange(int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t; // <- fault
#ifndef FAULTY
    __syncwarp();
#endif
    out[t] = s[t ^ 31]; // <- fault
}

extern "C" __global__ void warp_exchange_ends(const int *out, int *ends)
{
    ends[0] = out[0];
    ends[1] = out[63];
}
