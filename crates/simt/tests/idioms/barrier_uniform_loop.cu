// A loop whose length all threads of the block share.
// Twin: each has its own.
//
//@ buffer out i32 64 empty
//@ buffer first i32 1 empty
//@ run barrier_uniform_loop <<<1, 64>>> (out, 5)
//@ run barrier_uniform_loop_first <<<1, 1>>> (out, first)
//@ expect first 5
//@ fault BARDIV

extern "C" __global__ void barrier_uniform_loop(int *out, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
#ifdef FAULTY
    n += t / 8;
#endif
    for (int k = 0; k < n; ++k) {
        int v = s[(t + 1) % 64];
        __syncthreads(); // <- fault
        s[t] = v;
        __syncthreads();
    }
    out[t] = s[t];
}

extern "C" __global__ void barrier_uniform_loop_first(const int *out, int *first)
{
    *first = out[0];
}
