// 8-bit floating-point numbers: rounding to the nearest, the smallest and the largest ones.
//
//@ buffer out f32 10 zero
//@ run small <<<1, 1>>> (out)
//@ expect out 1.5 0.3125 448 0.3125 0.001953125 0 57344 -2.25 0.0625 1
#include <cuda_fp8.h>
extern "C" __global__ void small(float *out)
{
    __nv_fp8_e4m3 a(1.5f);
    out[0] = float(a);
    out[1] = (float)__nv_fp8_e5m2(0.3f);
    out[2] = (float)__nv_fp8_e4m3(1000.0f);
    out[3] = (float)__nv_fp8_e4m3(0.3f);
    out[4] = (float)__nv_fp8_e4m3(0.001f);
    out[5] = (float)__nv_fp8_e4m3(0.0009f);
    out[6] = (float)__nv_fp8_e5m2(1e6f);
    out[7] = (float)__nv_fp8_e4m3(-2.25f);
    // A tie goes to the even neighbour: 0.0625 has an even mantissa.
    out[8] = (float)__nv_fp8_e4m3(0.06640625f);
    out[9] = __nv_cvt_float_to_fp8(__int_as_float(0x7f800000), __NV_NOSAT, __NV_E5M2) == 0x7c;
}
