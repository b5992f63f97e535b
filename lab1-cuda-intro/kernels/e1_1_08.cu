// c[i] = a[i] + b[i] in single precision, for i < size. Thread i computes element i or nothing.

// <lab
// The vectors hold float now.
extern "C" __global__ void add_kernel(int *c, const int *a, const int *b, int size)
// lab>
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        c[i] = a[i] + b[i];
    }
}
