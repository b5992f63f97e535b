// The finished kernel of 1.1.3: one element per thread, whatever the number of elements. What 1.1.4
// is about.

extern "C" __global__ void add_kernel(int *c, const int *a, const int *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}
