// Texture objects: filters, address modes, kinds of values; surfaces.
//
//@ buffer picture f32 8 iota 0 1
//@ buffer bytes u8 8 list 0 51 102 153 204 255 10 20
//@ buffer canvas f32 8 iota 0 1
//@ texture smooth picture 4 2 1 1 linear
//@ texture framed picture 4 2 1 1 border
//@ texture tiled picture 4 2 1 1 wrap unit
//@ texture mirrored picture 4 2 1 1 mirror unit
//@ texture cells picture 2 2 2 1
//@ texture grey bytes 8 1 1 1
//@ texture drawing canvas 4 2 1 1
//@ buffer out f32 14 zero
//@ run textures <<<1, 1>>> (out, smooth, framed, tiled, mirrored, cells, grey, drawing)
//@ expect out 1 3.5 0 0.30078125 0 3 0 0 5 153 0 6 42 30
//@ expect canvas 0 1 2 3 4 42 6 7

__device__ float corner(cudaTextureObject_t t) { return tex2D<float>(t, 2.0f, 1.0f); }

extern "C" __global__ void textures(float *out, cudaTextureObject_t smooth,
                                    cudaTextureObject_t framed, cudaTextureObject_t tiled,
                                    cudaTextureObject_t mirrored, cudaTextureObject_t cells,
                                    cudaTextureObject_t grey, cudaSurfaceObject_t drawing)
{
    out[0] = tex2D<float>(smooth, 1.5f, 0.5f);
    out[1] = corner(smooth);
    out[2] = tex2D<float>(smooth, -3.0f, 0.5f);
    out[3] = tex2D<float>(smooth, 0.8f, 0.5f);
    out[4] = tex2D<float>(framed, -1.0f, 0.5f);
    out[5] = tex2D<float>(framed, 3.5f, 0.5f);
    out[6] = tex2D<float>(tiled, 1.125f, 0.25f);
    out[7] = tex2D<float>(mirrored, -0.125f, 0.25f);
    out[8] = tex3D<float>(cells, 1.5f, 0.5f, 1.5f);
    out[9] = tex1Dfetch<unsigned char>(grey, 3);
    out[10] = tex1Dfetch<unsigned char>(grey, 8);
    float v;
    surf2Dread(&v, drawing, 2 * sizeof(float), 1);
    out[11] = v;
    surf2Dwrite(42.0f, drawing, 1 * sizeof(float), 1);
    out[12] = surf2Dread<float>(drawing, 4, 1);
    out[13] = surf2Dread<float>(drawing, 4, 9, cudaBoundaryModeZero) + 30;
}
