extern "C" __global__ void show(const float *x)
{
    printf("x[%d] = %d\n", threadIdx.x, x[threadIdx.x]);
}
