// A warp that is not full: the lanes beyond the end take part with 0.
// Twin: they stay away, and their values are asked for.
//
//@ buffer out i32 1 empty
//@ run reduce_tail_of_warp <<<1, 32>>> (20, out)
//@ expect out 20
//@ fault UNINIT

extern "C" __global__ void reduce_tail_of_warp(int n, int *out)
{
    int v = threadIdx.x < n ? 1 : 0;
#ifdef FAULTY
    unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < n);
    if (threadIdx.x < n)
#else
    unsigned mask = 0xffffffff;
#endif
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(mask, v, d); // <- fault
    if (threadIdx.x == 0)
        *out = v;
}
