// c[i] = a[i] + b[i] for any number of blocks, with exactly one thread per element.
// Thread threadIdx.x of block blockIdx.x computes one element; a block has blockDim.x threads.

extern "C" __global__ void add_kernel(int *c, const int *a, const int *b)
{
    // <lab
    int i = threadIdx.x; // right for one block only
    // lab>
    c[i] = a[i] + b[i];
}
