// The largest half by compare-and-swap on its bits, conversions by PTX, numbers that are none.
//@ buffer x f32 64 iota -40 1
//@ buffer best u32 1 zero
//@ buffer out f32 4 zero
//@ run largest <<<2, 32>>> (x, best)
//@ run ends <<<1, 1>>> (best, out)
//@ expect out 23 1.5 -2 1
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>
__device__ uint16_t bits_of(float f)
{
    union { uint32_t u32; uint16_t u16[2]; } tmp;
    asm volatile("cvt.rn.f16.f32 %0, %1;\n" : "=h"(tmp.u16[0]) : "f"(f));
    return tmp.u16[0];
}
__device__ float real_of(uint16_t h)
{
    float f;
    asm volatile("cvt.f32.f16 %0, %1;\n" : "=f"(f) : "h"(h));
    return f;
}
__device__ void atomic_max(unsigned *at, __nv_half v)
{
    unsigned old = *at, assumed;
    do {
        assumed = old;
        __half_raw now;
        now.x = assumed & 0xffff;
        __half_raw top = __half_raw(__hmax_nan(now, v));
        old = atomicCAS(at, assumed, (assumed & 0xffff0000u) | top.x);
    } while (assumed != old);
}
__global__ void largest(const float *x, unsigned *best)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half_raw raw;
    raw.x = bits_of(x[i]);
    atomic_max(best, raw);
}
__global__ void ends(const unsigned *best, float *out)
{
    constexpr __half_raw none = {0x7e00};
    uint32_t two;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;\n" : "=r"(two) : "f"(-2.0f), "f"(1.5f));
    out[0] = real_of(*best & 0xffff);
    out[1] = real_of(two & 0xffff);
    out[2] = real_of(two >> 16);
    __nv_bfloat16_raw one = {0x3f80};
    const nv_bfloat16 b = one;
    out[3] =
        __hisnan(__hmin_nan(none, __float2half(3.0f))) ? __bfloat162float(hcos(b) / hcos(b)) : 0.0f;
}
int main() { return 0; }
