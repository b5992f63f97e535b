// c[i] = a[i] + b[i] for one block with as many threads as the vectors have elements.
// Thread i computes element i. The host names the element type: -DELEM=int, -DELEM=float or
// -DELEM=double.

extern "C" __global__ void add_kernel(ELEM *c, const ELEM *a, const ELEM *b)
{
    // <lab
    // As in 1.1.1; nothing in here may depend on what ELEM is.
    // lab>
}
