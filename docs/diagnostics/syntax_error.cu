extern "C" __global__ void scale(float *x, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x
    x[i] *= factor;
}
