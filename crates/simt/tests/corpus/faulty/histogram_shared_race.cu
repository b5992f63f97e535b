// Two threads add to one bin without an atomic.
//
//@ buffer data u8 128 fill 3
//@ buffer bins i32 16 empty
//@ run histogram_shared_race <<<1, 128>>> (data, bins)
//@ fault RACE-S local[3] block (0,0,0)
//@ sanitizer racecheck

extern "C" __global__ void histogram_shared_race(const unsigned char *data, int *bins)
{
    __shared__ int local[16];
    if (threadIdx.x < 16)
        local[threadIdx.x] = 0;
    __syncthreads();
    local[data[threadIdx.x]]++; // <- fault
    __syncthreads();
    if (threadIdx.x < 16)
        bins[threadIdx.x] = local[threadIdx.x];
}
