// Prefix sum of many blocks: shuffles within warps, block sums in a second launch, added in a
// third.
//
//@ buffer x i32 2000 ints 52 0 50
//@ buffer y i32 2000 empty
//@ buffer sums i32 8 empty
//@ run scan_each_block <<<8, 256>>> (x, y, sums, 2000)
//@ count shfl 360 : 8 blocks: 8 warps and then the first once more, 5 steps
//@ run scan_sums <<<1, 32>>> (sums, 8)
//@ run add_sums <<<8, 256>>> (y, sums, 2000)
//@ check y exact
//@ check sums exact

__device__ int scan_of_warp(int v)
{
    int lane = threadIdx.x % 32;
    for (int d = 1; d < 32; d <<= 1) {
        int w = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d)
            v += w;
    }
    return v;
}

extern "C" __global__ void scan_each_block(const int *x, int *y, int *sums, int n)
{
    __shared__ int warp_sums[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int v = i < n ? x[i] : 0;
    v = scan_of_warp(v);
    if (lane == 31)
        warp_sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int w = lane < blockDim.x / 32 ? warp_sums[lane] : 0;
        w = scan_of_warp(w);
        if (lane < blockDim.x / 32)
            warp_sums[lane] = w;
    }
    __syncthreads();
    if (warp > 0)
        v += warp_sums[warp - 1];
    if (i < n)
        y[i] = v;
    if (threadIdx.x == blockDim.x - 1)
        sums[blockIdx.x] = v;
}

extern "C" __global__ void scan_sums(int *sums, int n)
{
    int i = threadIdx.x;
    int v = i < n ? sums[i] : 0;
    v = scan_of_warp(v);
    if (i < n)
        sums[i] = v;
}

extern "C" __global__ void add_sums(int *y, const int *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        y[i] += sums[blockIdx.x - 1];
}
