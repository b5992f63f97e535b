// c[i] = a[i] + b[i] for i in 0..size. The type of the elements is the macro ELEM, which this file
// does not define.
extern "C" __global__ void add_kernel(ELEM *c, const ELEM *a, const ELEM *b, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        c[i] = a[i] + b[i];
    }
}
