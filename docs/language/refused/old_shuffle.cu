extern "C" __global__ void f(float *x)
{
    x[threadIdx.x] += __shfl_down(x[threadIdx.x], 1);
}
