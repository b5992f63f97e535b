// Keeps the elements that pass a test: by a prefix sum in shared memory (stable), and by a
// warp-aggregated counter.
//
//@ buffer x i32 256 ints 53 -100 100
//@ buffer kept i32 256 fill -1000
//@ buffer count i32 1 empty
//@ buffer mask u8 1000 ints 54 0 1
//@ buffer total u32 1 zero
//@ run compact <<<1, 256>>> (x, kept, count)
//@ run count_aggregated <<<4, 256>>> (mask, total, 1000)
//@ count atom_req 32 : one per warp, by its leader, since a warp without a 1 adds 0 too
//@ check kept exact
//@ check count exact
//@ check total exact

extern "C" __global__ void compact(const int *x, int *kept, int *count)
{
    __shared__ int before[256];
    int tid = threadIdx.x;
    int keep = x[tid] > 0;
    before[tid] = keep;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        int v = 0;
        if (tid >= d)
            v = before[tid - d];
        __syncthreads();
        before[tid] += v;
        __syncthreads();
    }
    if (keep)
        kept[before[tid] - 1] = x[tid];
    if (tid == 255)
        *count = before[255];
}

extern "C" __global__ void count_aggregated(const unsigned char *mask, unsigned *total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool set = i < n && mask[i] != 0;
    unsigned ballot = __ballot_sync(0xffffffffu, set);
    if (threadIdx.x % 32 == 0)
        atomicAdd(total, (unsigned)__popc(ballot));
}
