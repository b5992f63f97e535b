// Sums of halves in memory, in the manner of tensor libraries: the word around the half is
// exchanged.
//@ buffer sums u16 4 zero
//@ buffer ones i32 2 zero
//@ run add <<<4, 64>>> (sums)
//@ run read_back <<<1, 2>>> (sums, ones)
//@ expect ones 256 512
#include <cuda_fp16.h>
__device__ void add_half(__half *address, __half val)
{
    unsigned int *address_as_ui = (unsigned int *)((char *)address - ((size_t)address & 2));
    unsigned int old = *address_as_ui;
    unsigned int assumed;
    do {
        assumed = old;
        __half_raw hsum;
        hsum.x = (size_t)address & 2 ? (old >> 16) : (old & 0xffff);
        __half tmp = __half(hsum) + val;
        hsum = __half_raw(tmp);
        old = (size_t)address & 2 ? (old & 0xffff) | (hsum.x << 16) : (old & 0xffff0000) | hsum.x;
        old = atomicCAS(address_as_ui, assumed, old);
    } while (assumed != old);
}
__global__ void add(__half *sums)
{
    add_half(sums, __float2half(1.0f));
    add_half(sums + 1, __float2half(2.0f));
}
__global__ void read_back(const __half *sums, int *ones)
{ ones[threadIdx.x] = (int)__half2float(sums[threadIdx.x]); }
int main() { return 0; }
