extern "C" __global__ void f(float *out, cudaTextureObject_t t)
{
    out[threadIdx.x] = tex2D<float>(t, 0.5f, 0.5f);
}
