// Shared memory declared at file scope is one array for the kernel and what it calls.
//
//@ buffer out i32 64 zero
//@ run file_shared <<<2, 32>>> (out)
//@ expect out 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0

__shared__ int tile[32];
static __shared__ int extra;

__device__ void fill(int t) { tile[t] = t; }

extern "C" __global__ void file_shared(int *out)
{
    int t = threadIdx.x;
    fill(t);
    if (t == 0)
        extra = 31;
    __syncthreads();
    out[blockIdx.x * 32 + t] = tile[extra - t];
}
