// Histograms of bytes: atomics in global memory, private bins in shared memory, and one bin set per
// warp.
//
//@ buffer data u8 4096 ints 61 0 255
//@ buffer all_equal u8 256 fill 7
//@ buffer global_bins u32 256 zero
//@ buffer shared_bins u32 256 zero
//@ buffer warp_bins u32 16 zero
//@ buffer one_bin u32 256 zero
//@ run histogram_global <<<8, 256>>> (data, 4096, global_bins)
//@ count atom_lane 4096 : one addition per byte
//@ count atom_req 128 : 4096 / 32
//@ run histogram_shared <<<4, 256>>> (data, 4096, shared_bins)
//@ count bar 8 : 4 blocks, two barriers
//@ run histogram_warps <<<4, 128>>> (data, 4096, warp_bins)
//@ run histogram_global <<<1, 256>>> (all_equal, 256, one_bin)
//@ count atom_ser 248 : 8 warps, all 32 lanes on one address: 31 extra passes
//@ check global_bins exact
//@ check shared_bins exact
//@ check warp_bins exact
//@ check one_bin exact

extern "C" __global__ void histogram_global(const unsigned char *data, int n, unsigned *bins)
{
    int stride = blockDim.x * gridDim.x;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += stride)
        atomicAdd(&bins[data[i]], 1u);
}

extern "C" __global__ void histogram_shared(const unsigned char *data, int n, unsigned *bins)
{
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    int stride = blockDim.x * gridDim.x;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += stride)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

#define WARPS 4
#define BINS 16

extern "C" __global__ void histogram_warps(const unsigned char *data, int n, unsigned *bins)
{
    __shared__ unsigned local[WARPS][BINS];
    for (int i = threadIdx.x; i < WARPS * BINS; i += blockDim.x)
        local[i / BINS][i % BINS] = 0;
    __syncthreads();
    int warp = threadIdx.x / warpSize;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&local[warp][data[i] >> 4], 1u);
    __syncthreads();
    if (threadIdx.x < BINS) {
        unsigned sum = 0;
        for (int w = 0; w < WARPS; ++w)
            sum += local[w][threadIdx.x];
        atomicAdd(bins + threadIdx.x, sum);
    }
}
