// One channel of the four texels around a point, in the order of graphics; layers of a surface.
//
//@ buffer picture f32 8 iota 0 1
//@ buffer layers f32 8 iota 0 1
//@ texture clamped picture 4 2 1 1
//@ texture framed picture 4 2 1 1 border
//@ texture sheets layers 2 2 2 1
//@ buffer out f32 9 zero
//@ run parts <<<1, 1>>> (out, clamped, framed, sheets)
//@ expect out 5 6 2 1 7 0 0 3 6
//@ expect layers 0 1 2 3 4 5 6 42
#include <cuda.h>
extern "C" __global__ void parts(float *out, CUtexObject clamped, cudaTextureObject_t framed,
                                 CUsurfObject sheets)
{
    *(float4 *)out = tex2Dgather<float4>(clamped, 2.0f, 1.0f);
    *(float4 *)(out + 4) = tex2Dgather<float4>(framed, 4.0f, 1.0f, 0);
    out[8] = surf2DLayeredread<float>(sheets, 0, 1, 1);
    surf2DLayeredwrite(42.0f, sheets, 4, 1, 1);
}
