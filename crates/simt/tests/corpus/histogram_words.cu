// Bytes counted four at a time: a histogram of its own for each warp, macros for 24-bit products,
// and a second kernel that adds up.
//
//@ buffer data u32 1500 ints 7 0 2000000000
//@ buffer partial u32 512 empty
//@ buffer histogram u32 256 empty
//@ run count_words <<<2, 192>>> (partial, data, 1500)
//@ run merge_partial <<<256, 64>>> (histogram, partial, 2)
//@ check histogram exact

typedef unsigned int uint;

#define WARPS 6u
#define BINS 256u
#define MUL(a, b) (__umul24((a), (b)))
#define MAD(a, b, c) (MUL((a), (b)) + (c))
#define BYTE(word, k) (((word) >> (8u * (k))) & 0xffu)

static __device__ __forceinline__ void count(uint *bins, uint word)
{
#pragma unroll
    for (uint k = 0; k < sizeof(uint); ++k)
        atomicAdd(bins + BYTE(word, k), 1u);
}

extern "C" __global__ void count_words(uint *partial, const uint *data, uint words)
{
    __shared__ uint bins[WARPS][BINS];
    uint *all = &bins[0][0], *own = bins[threadIdx.x / warpSize];
    for (uint k = threadIdx.x; k < WARPS * BINS; k += blockDim.x)
        all[k] = 0;
    __syncthreads();
    const uint step = MUL(blockDim.x, gridDim.x);
    for (uint at = MAD(blockIdx.x, blockDim.x, threadIdx.x); at < words; at += step)
        count(own, data[at]);
    __syncthreads();
    for (uint bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        uint sum = 0, warp = WARPS;
        do
            sum += bins[--warp][bin];
        while (warp);
        partial[MAD(blockIdx.x, BINS, bin)] = sum;
    }
}

extern "C" __global__ void merge_partial(uint *histogram, const uint *partial, uint parts)
{
    __shared__ uint sums[64];
    uint t = threadIdx.x, sum = 0;
    for (uint part = t; part < parts; part += blockDim.x)
        sum += partial[MAD(part, BINS, blockIdx.x)];
    sums[t] = sum;
    for (uint half = blockDim.x >> 1; __syncthreads(), half; half >>= 1)
        if (t < half)
            sums[t] += sums[t + half];
    if (t == 0)
        histogram[blockIdx.x] = *sums;
}
