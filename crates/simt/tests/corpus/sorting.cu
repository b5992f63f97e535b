// Sorting networks and simple sorts: bitonic in shared memory, bitonic in global memory step by
// step, odd-even transposition, rank sort, and one split of a radix sort.
//
//@ buffer keys i32 256 ints 131 -999 999
//@ buffer global_keys i32 128 ints 132 -999 999
//@ buffer odd_even i32 64 ints 133 -999 999
//@ buffer unsorted i32 200 ints 134 0 50
//@ buffer ranked i32 200 empty
//@ buffer words u32 128 ints 135 0 255
//@ run bitonic_shared <<<1, 128>>> (keys)
//@ run bitonic_step <<<2, 32>>> (global_keys, 2, 1)
//@ run bitonic_step <<<2, 32>>> (global_keys, 4, 2)
//@ run bitonic_step <<<2, 32>>> (global_keys, 4, 1)
//@ run bitonic_rounds <<<1, 64>>> (global_keys, 8, 128)
//@ run odd_even_step <<<1, 32>>> (odd_even, 64, phase) for phase in 0..64
//@ run rank_sort <<<2, 128>>> (unsorted, ranked, 200)
//@ run radix_sort <<<1, 128>>> (words)
//@ check keys exact
//@ check global_keys exact
//@ check odd_even exact
//@ check ranked exact
//@ check words exact

__device__ inline void compare_exchange(int &a, int &b, bool up)
{
    if ((a > b) == up) {
        int t = a;
        a = b;
        b = t;
    }
}

extern "C" __global__ void bitonic_shared(int *keys)
{
    __shared__ int s[256];
    unsigned tid = threadIdx.x;
    s[tid] = keys[tid];
    s[tid + 128] = keys[tid + 128];
    for (unsigned size = 2; size <= 256; size <<= 1) {
        for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            unsigned pos = 2 * tid - (tid & (stride - 1));
            bool up = (pos & size) == 0;
            compare_exchange(s[pos], s[pos + stride], up);
        }
    }
    __syncthreads();
    keys[tid] = s[tid];
    keys[tid + 128] = s[tid + 128];
}

__device__ void bitonic_pair(int *keys, unsigned i, unsigned size, unsigned stride)
{
    unsigned pos = 2 * i - (i & (stride - 1));
    compare_exchange(keys[pos], keys[pos + stride], (pos & size) == 0);
}

extern "C" __global__ void bitonic_step(int *keys, unsigned size, unsigned stride)
{
    bitonic_pair(keys, blockIdx.x * blockDim.x + threadIdx.x, size, stride);
}

// One block finishes what the single steps began.
extern "C" __global__ void bitonic_rounds(int *keys, unsigned from, unsigned n)
{
    for (unsigned size = from; size <= n; size *= 2)
        for (unsigned stride = size >> 1; stride != 0; stride >>= 1) {
            bitonic_pair(keys, threadIdx.x, size, stride);
            __syncthreads();
        }
}

extern "C" __global__ void odd_even_step(int *keys, int n, int phase)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + (phase & 1);
    if (i + 1 < n && keys[i] > keys[i + 1]) {
        int t = keys[i];
        keys[i] = keys[i + 1];
        keys[i + 1] = t;
    }
}

extern "C" __global__ void rank_sort(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int mine = in[i], rank = 0;
    for (int j = 0; j < n; ++j)
        rank += in[j] < mine || (in[j] == mine && j < i);
    out[rank] = mine;
}

// Eight stable splits by one bit each; a ballot per warp and a sum over the warps before give the
// places.
extern "C" __global__ void radix_sort(unsigned *keys)
{
    __shared__ unsigned s[128];
    __shared__ int zeros[4];
    int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
    unsigned key = keys[tid];
    for (int bit = 0; bit < 8; ++bit) {
        bool one = (key >> bit) & 1;
        unsigned ballot = __ballot_sync(~0u, !one);
        int before = __popc(ballot & ((1u << lane) - 1));
        if (lane == 0)
            zeros[warp] = __popc(ballot);
        __syncthreads();
        int zeros_before = before, all_zeros = 0;
        for (int w = 0; w < 4; ++w) {
            if (w < warp)
                zeros_before += zeros[w];
            all_zeros += zeros[w];
        }
        int place = one ? all_zeros + tid - zeros_before : zeros_before;
        s[place] = key;
        __syncthreads();
        key = s[tid];
    }
    keys[tid] = key;
}
