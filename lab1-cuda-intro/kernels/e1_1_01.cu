// c[i] = a[i] + b[i] for one block with as many threads as the vectors have elements.
// Thread i computes element i.

extern "C" __global__ void add_kernel(int *c, const int *a, const int *b)
{
    // <lab
    // Every thread runs this body once. Which element is this thread's own?
    // lab>
}
