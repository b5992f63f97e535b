extern "C" __global__ void scale(float *x, float factor)
{
    int index = blockIdx.x * blockDim.x + treadIdx.x;
    x[idx] *= factor;
}
