// Sum of an array in one launch: the last block to finish adds the partial sums of all.
// Needs a memory fence between a block's partial sum and its ticket.
//
//@ buffer x i32 3000 ints 23 -1000 1000
//@ buffer total i32 1 empty
//@ symbol partial i32 16 zero
//@ symbol tickets u32 1 zero
//@ run sum_once <<<12, 128>>> (x, 3000, total)
//@ count atom_req 12 : one ticket per block
//@ check total exact
//@ check tickets exact

__device__ int partial[16];
__device__ unsigned int tickets = 0;

__device__ int block_sum(int v, int *s)
{
    int tid = threadIdx.x;
    s[tid] = v;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (tid < half)
            s[tid] += s[tid + half];
        __syncthreads();
    }
    return s[0];
}

extern "C" __global__ void sum_once(const int *x, int n, int *total)
{
    __shared__ int s[128];
    __shared__ bool last;
    int v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += x[i];
    v = block_sum(v, s);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = v;
        __threadfence();
        unsigned ticket = atomicInc(&tickets, gridDim.x);
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        int w = threadIdx.x < gridDim.x ? ((volatile int *)partial)[threadIdx.x] : 0;
        w = block_sum(w, s);
        if (threadIdx.x == 0) {
            *total = w;
            tickets = 0;
        }
    }
}
