// A queue of work with the atomics of libcu++, and a histogram by atomic_ref.
//@ buffer data u32 64 iota 0 1
//@ buffer bins u32 4 zero
//@ run histogram <<<2, 32>>> (data, bins, 64)
//@ expect bins 16 16 16 16
#include <cuda/atomic>
__device__ cuda::atomic<unsigned, cuda::thread_scope_device> next_item{0};
__global__ void histogram(const unsigned *data, unsigned *bins, unsigned n)
{
    for (unsigned i = next_item.fetch_add(1u, cuda::memory_order_relaxed); i < n;
         i = next_item.fetch_add(1u, cuda::memory_order_relaxed)) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> bin(bins[data[i] % 4]);
        bin.fetch_add(1u, cuda::std::memory_order_relaxed);
    }
}
int main()
{
    unsigned *d, *b;
    cudaMalloc(&d, 256);
    cudaMalloc(&b, 16);
    histogram<<<2, 32>>>(d, b, 64);
    return cudaDeviceSynchronize();
}
