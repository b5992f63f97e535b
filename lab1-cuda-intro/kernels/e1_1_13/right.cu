// c[i] = a[i] + b[i] for i in 0..size.
extern "C" __global__ void add_kernel(float *c, const float *a, const float *b, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        c[i] = a[i] + b[i];
    }
}
