// Texture objects with linear filter and coordinates from 0 to 1.
//@ buffer image u8 16 list 0 255 0 255 255 0 255 0 0 255 0 255 255 0 255 0
//@ texture tex image 4 4 1 1 linear unit values
//@ buffer out f32 4 zero
//@ run scale <<<1, (2,2)>>> (tex, out, 2, 2)
//@ expect out 0.5 0.5 0.5 0.5
#include <helper_image.h>
#include <cuda_runtime.h>
__global__ void scale(cudaTextureObject_t tex, float *out, int width, int height)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x,
                 y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = (x + 0.5f) / (float)width, v = (y + 0.5f) / (float)height;
    out[y * width + x] = tex2D<unsigned char>(tex, u, v) ? 0.5f : tex2D<float>(tex, u, v);
}
int main()
{
    cudaResourceDesc texRes;
    memset(&texRes, 0, sizeof(cudaResourceDesc));
    texRes.resType = cudaResourceTypeArray;
    cudaTextureDesc texDescr;
    texDescr.normalizedCoords = true;
    texDescr.filterMode = cudaFilterModeLinear;
    texDescr.addressMode[0] = cudaAddressModeWrap;
    texDescr.readMode = cudaReadModeNormalizedFloat;
    cudaTextureObject_t texObject;
    cudaCreateTextureObject(&texObject, &texRes, &texDescr, NULL);
    scale<<<1, dim3(2, 2)>>>(texObject, NULL, 2, 2);
}
