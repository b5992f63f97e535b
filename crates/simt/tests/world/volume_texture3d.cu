// A volume by a 3-D texture reference.
//@ buffer vol f32 8 iota 0 1
//@ texture tex vol 2 2 2 1 linear
//@ buffer out f32 1 zero
//@ run centre <<<1, 1>>> (out)
//@ expect out 3.5
texture<float, 3, cudaReadModeElementType> tex;
__global__ void centre(float *out) { *out = tex3D(tex, 1.0f, 1.0f, 1.0f); }
int main()
{
    tex.addressMode[0] = cudaAddressModeClamp;
    tex.filterMode = cudaFilterModeLinear;
    cudaExtent e = make_cudaExtent(2, 2, 2);
    cudaBindTextureToArray(tex, (cudaArray *)0);
    return (int)e.width;
}
