// Half precision with half2, converted at the end.
//@ buffer out f32 1 zero
//@ run dot2 <<<1, 32>>> (out)
//@ expect out 64
#include <cuda_fp16.h>
__global__ void dot2(float *out)
{
    half2 a = __float2half2_rn(1.0f), b = __halves2half2(__float2half(0.5f), __float2half(1.5f));
    half2 p = __hmul2(a, b);
    float v = __low2float(p) + __high2float(p);
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (threadIdx.x == 0) *out = v;
}
int main() { __half h = __float2half(1.f); return 0; }
