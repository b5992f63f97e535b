// Sum of a warp by shuffles.
// Twin: within a branch that not all lanes of the mask take.
//
//@ buffer out i32 1 empty
//@ run reduce_shuffles <<<1, 32>>> (out)
//@ expect out 496
//@ fault BARDIV

extern "C" __global__ void reduce_shuffles(int *out)
{
    int v = threadIdx.x;
#ifdef FAULTY
    if (threadIdx.x < 24)
#endif
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(0xffffffff, v, d); // <- fault
    if (threadIdx.x == 0)
        *out = v;
}
