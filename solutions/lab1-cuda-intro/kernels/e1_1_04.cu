// c[i] = a[i] + b[i] for i < size. The launch may have more threads than elements: the last block
// is rarely full. Thread i computes element i or nothing. The host names the element type:
// -DELEM=int.

extern "C" __global__ void add_kernel(ELEM *c, const ELEM *a, const ELEM *b, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // <lab
    if (i < size) {
        c[i] = a[i] + b[i];
    }
    //~ c[i] = a[i] + b[i]; // what happens in threads with i >= size?
    // lab>
}
