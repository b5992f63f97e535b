// Texture references, which compilers had before CUDA 12.
//
//@ buffer picture f32 8 iota 0 1
//@ buffer bytes u8 8 list 0 51 102 153 204 255 10 20
//@ texture ref picture 4 2 1 1
//@ texture unit_ref bytes 2 1 1 4 values
//@ buffer out f32 4 zero
//@ run textures <<<1, 1>>> (out)
//@ expect out 7 6 1 0.8

texture<float, 2, cudaReadModeElementType> ref;
texture<uchar4, cudaTextureType1D, cudaReadModeNormalizedFloat> unit_ref;

extern "C" __global__ void textures(float *out)
{
    out[0] = tex2D(ref, 3.9f, 1.2f);
    out[1] = tex2D(ref, 2.5f, 9.0f);
    out[2] = tex1D(unit_ref, 1.5f).y;
    out[3] = tex1Dfetch(unit_ref, 1).x;
}
