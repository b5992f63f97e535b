// bfloat16 and pairs of halves.
//
//@ buffer out f32 14 zero
//@ run small_floats <<<1, 1>>> (out)
//@ expect out 1 1.0078125 3 6 1.5 1 4 -2 3 2 0.5 16256 256 1

#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void small_floats(float *out)
{
    __nv_bfloat16 a = __float2bfloat16(1.001f), b = __float2bfloat16(1.006f);
    out[0] = __bfloat162float(a);
    out[1] = __bfloat162float(b);
    nv_bfloat16 two = 2.0f, one = __float2bfloat16(1.0f);
    out[2] = (float)(two + one);
    out[3] = __bfloat162float(__hfma(two, two, two));
    __nv_bfloat162 p = __floats2bfloat162_rn(0.5f, 1.0f);
    p = __hadd2(p, __bfloat162bfloat162(one));
    out[4] = __low2float(p);
    out[5] = two > one;
    half2 h = __floats2half2_rn(4.0f, -2.0f);
    out[6] = __low2float(__habs2(h));
    out[7] = __high2float(h);
    out[8] = __low2float(__hmax2(h, __float2half2_rn(3.0f))) - 1.0f;
    out[9] = __half2float(hsqrt(__low2half(h)));
    h *= __float2half2_rn(0.125f);
    out[10] = __low2float(h);
    out[11] = __bfloat16_as_ushort(one);
    out[12] = __bfloat162float(__float2bfloat16(256.4f));
    out[13] = __hbeq2(h, h);
}
