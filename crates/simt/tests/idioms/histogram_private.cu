// Each warp has bins of its own, added up behind a barrier.
// Twin: two warps share theirs without atomics.
//
//@ buffer bins i32 4 empty
//@ run histogram_private <<<1, 64>>> (bins)
//@ expect bins 16 16 16 16
//@ fault RACE-S

extern "C" __global__ void histogram_private(int *bins)
{
    __shared__ int local[2][4];
    if (threadIdx.x < 8)
        local[threadIdx.x / 4][threadIdx.x % 4] = 0;
    __syncthreads();
#ifdef FAULTY
    local[0][threadIdx.x % 4] += 1; // <- fault
#else
    atomicAdd(&local[threadIdx.x / 32][threadIdx.x % 4], 1);
#endif
    __syncthreads();
    if (threadIdx.x < 4)
        bins[threadIdx.x] = local[0][threadIdx.x] + local[1][threadIdx.x];
}
