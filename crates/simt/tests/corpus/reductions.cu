// Eight ways to sum an array within blocks, from the slowest to the fastest of the textbooks.
// The inputs are integers, so every order of addition gives the same float.
//
//@ buffer x f32 1024 ints 21 0 100
//@ buffer interleaved f32 4 empty
//@ buffer conflicting f32 4 empty
//@ buffer sequential f32 4 empty
//@ buffer first_add f32 2 empty
//@ buffer last_warp f32 2 empty
//@ buffer completely f32 2 empty
//@ buffer shuffled f32 4 empty
//@ buffer looped f32 1 zero
//@ run reduce_interleaved <<<4, 256>>> (x, interleaved)
//@ count br_exec 576 : per block 8 warps: 9 loop tests, 8 conditions, 1 at the end: 18 * 8 = 144
//@ count br_div 192 : per block: 5 steps part all 8 warps, then 4, 2, 1 warps, and the last condition: 48
//@ count shld_req 380 : per block 40 + 4 + 2 + 1 = 47 active warps, two loads, and one at the end
//@ count shld_wf 380 : at most one word per bank
//@ run reduce_conflicting <<<4, 256>>> (x, conflicting)
//@ count shld_wf 380 : per load and block 4*2 + 2*4 + 8 + 8 + 8 + 4 + 2 + 1 = 47 wavefronts; two loads, one at the end
//@ count shld_req 100 : 4 + 2 + 1 + 1 + 1 + 1 + 1 + 1 = 12 active warps, two loads, one at the end
//@ count shst_wf 220 : 47 and the 8 first stores
//@ run reduce_sequential <<<4, 256>>> (x, sequential)
//@ count br_exec 576 : as for the first
//@ count br_div 24 : per block: steps 16, 8, 4, 2, 1 part one warp, and the last condition
//@ count shld_wf 100 : no conflicts: 12 active warps, two loads, one at the end
//@ count bar 36 : 4 blocks: one after the load, 8 in the loop
//@ run reduce_first_add <<<2, 256>>> (x, first_add)
//@ count gld_req 32 : 16 warps, two loads each
//@ run reduce_last_warp <<<2, 256>>> (x, last_warp)
//@ count bar 6 : per block one after the load, one after each of the steps 128 and 64
//@ run reduce_completely<256> <<<2, 256>>> (x, completely)
//@ count bar 6 : as before
//@ run reduce_shuffled <<<4, 256>>> (x, shuffled)
//@ count shfl 180 : per block 8 warps and then the first again, 5 steps
//@ count bar 4 : one per block
//@ count shst_req 32 : one per warp
//@ run reduce_looped <<<2, 128>>> (x, looped, 1024)
//@ check interleaved exact
//@ check conflicting exact
//@ check sequential exact
//@ check first_add exact
//@ check last_warp exact
//@ check completely exact
//@ check shuffled exact
//@ check looped exact

// Neighbours first: the modulus leaves ever fewer lanes of every warp at work.
extern "C" __global__ void reduce_interleaved(const float *in, float *out)
{
    __shared__ float s[256];
    unsigned tid = threadIdx.x;
    s[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        if (tid % (2 * step) == 0)
            s[tid] += s[tid + step];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

// The same pairs by consecutive threads: no divergence, but strides that share banks.
extern "C" __global__ void reduce_conflicting(const float *in, float *out)
{
    __shared__ float s[256];
    unsigned tid = threadIdx.x;
    s[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        unsigned i = 2 * step * tid;
        if (i < blockDim.x)
            s[i] += s[i + step];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

// Far halves first: neither divergence nor conflicts.
extern "C" __global__ void reduce_sequential(const float *in, float *out)
{
    __shared__ float s[256];
    unsigned tid = threadIdx.x;
    s[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 0; step >>= 1) {
        if (tid < step)
            s[tid] += s[tid + step];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

// The first addition happens on the way into shared memory.
extern "C" __global__ void reduce_first_add(const float *in, float *out)
{
    __shared__ float s[256];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * (blockDim.x * 2) + tid;
    s[tid] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 0; step >>= 1) {
        if (tid < step)
            s[tid] += s[tid + step];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

__device__ void sum_last_warp(float *s, unsigned lane)
{
    float v = s[lane] + s[lane + 32];
    __syncwarp();
    s[lane] = v;
    __syncwarp();
    for (unsigned step = 16; step > 0; step >>= 1) {
        float w = lane < step ? s[lane] + s[lane + step] : 0.0f;
        __syncwarp();
        if (lane < step)
            s[lane] = w;
        __syncwarp();
    }
}

// The last six steps need no block barrier: one warp does them.
extern "C" __global__ void reduce_last_warp(const float *in, float *out)
{
    __shared__ float s[256];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * (blockDim.x * 2) + tid;
    s[tid] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 32; step >>= 1) {
        if (tid < step)
            s[tid] += s[tid + step];
        __syncthreads();
    }
    if (tid < 32)
        sum_last_warp(s, tid);
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

// The block size is a template parameter: the conditions on it vanish when the kernel is compiled.
template <unsigned BLOCK>
__global__ void reduce_completely(const float *in, float *out)
{
    __shared__ float s[BLOCK];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * (BLOCK * 2) + tid;
    s[tid] = in[i] + in[i + BLOCK];
    __syncthreads();
    if (BLOCK >= 512) {
        if (tid < 256)
            s[tid] += s[tid + 256];
        __syncthreads();
    }
    if (BLOCK >= 256) {
        if (tid < 128)
            s[tid] += s[tid + 128];
        __syncthreads();
    }
    if (BLOCK >= 128) {
        if (tid < 64)
            s[tid] += s[tid + 64];
        __syncthreads();
    }
    if (tid < 32)
        sum_last_warp(s, tid);
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
template __global__ void reduce_completely<256>(const float *in, float *out);

__device__ float sum_of_warp(float v)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

// Registers of a warp are added by shuffles; shared memory carries one value per warp.
extern "C" __global__ void reduce_shuffled(const float *in, float *out)
{
    __shared__ float per_warp[32];
    int lane = threadIdx.x % warpSize;
    int warp = threadIdx.x / warpSize;
    float v = sum_of_warp(in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (lane == 0)
        per_warp[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < blockDim.x / warpSize ? per_warp[lane] : 0.0f;
        v = sum_of_warp(v);
        if (lane == 0)
            out[blockIdx.x] = v;
    }
}

// Any number of elements: a grid-stride loop, a shuffle per warp, an atomic per warp.
extern "C" __global__ void reduce_looped(const float *in, float *out, int n)
{
    float v = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        v += in[i];
    v = sum_of_warp(v);
    if ((threadIdx.x & (warpSize - 1)) == 0)
        atomicAdd(out, v);
}
