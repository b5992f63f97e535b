// A barrier in a branch that the whole block takes or leaves.
// Twin: a part of it.
//
//@ buffer out i32 2 zero
//@ run barrier_uniform_branch <<<2, 64>>> (out)
//@ expect out 0 64
//@ fault BARDIV

extern "C" __global__ void barrier_uniform_branch(int *out)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
#ifdef FAULTY
    if (threadIdx.x % 2 == 1) {
#else
    if (blockIdx.x % 2 == 1) {
#endif
        atomicAdd(&count, 1);
        __syncthreads(); // <- fault
        if (threadIdx.x == 0)
            out[blockIdx.x] = count;
    }
}
