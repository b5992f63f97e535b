// c[i] = a[i] + b[i] for i in 0..size. Given: the program to watch in the debugger.
// One thread adds one element; threads beyond size do nothing; there is no barrier.
extern "C" __global__ void add_kernel(float *c, const float *a, const float *b, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        c[i] = a[i] + b[i];
    }
}
