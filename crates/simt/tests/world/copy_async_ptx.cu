// A tile brought to shared memory by cp.async, one stage ahead, as hand-written products do.
//@ buffer in f32 256 iota 0 1
//@ buffer sums f32 2 zero
//@ run staged <<<2, 32>>> (in, sums)
//@ expect sums 8128 24512
//@ buffer tail f32 8 fill 5
//@ run short_copy <<<1, 1>>> (in, tail)
//@ expect tail 0 1 0 0 5 5 5 5
#include <cuda_runtime.h>
#include <stdint.h>
template <int BYTES> __device__ __forceinline__ void copy_async(void *to, const void *from)
{
    uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(to));
    asm volatile("{\n  .reg .pred p;\n  setp.ne.b32 p, %3, 0;\n"
                 "  @p cp.async.cg.shared.global.L2::128B [%0], [%1], %2;\n}\n" ::"r"(address),
                 "l"(from), "n"(BYTES), "r"(1));
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;\n" ::); }
template <int N> __device__ __forceinline__ void wait()
{ asm volatile("cp.async.wait_group %0;\n" ::"n"(N)); }

__global__ void staged(const float *in, float *sums)
{
    __shared__ alignas(16) float tile[2][64];
    const float *mine = in + blockIdx.x * 128;
    if (threadIdx.x < 16) copy_async<16>(&tile[0][threadIdx.x * 4], mine + threadIdx.x * 4);
    commit();
    float sum = 0;
    for (int stage = 0; stage < 2; ++stage) {
        if (stage == 0 && threadIdx.x < 16)
            copy_async<16>(&tile[1][threadIdx.x * 4], mine + 64 + threadIdx.x * 4);
        commit();
        wait<1>();
        __syncthreads();
        sum += tile[stage][threadIdx.x] + tile[stage][threadIdx.x + 32];
        __syncthreads();
    }
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
// Eight bytes of sixteen are read, the rest are zeros.
__global__ void short_copy(const float *in, float *out)
{
    __shared__ alignas(16) float tile[4];
    uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(tile));
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], 16, %2;\n cp.async.wait_all;\n" ::"r"(address),
        "l"(in), "r"(8));
    for (int i = 0; i < 4; ++i) out[i] = tile[i];
}
int main() { return 0; }
