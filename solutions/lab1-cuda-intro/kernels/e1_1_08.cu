// c[i] = a[i] + b[i] in single precision, for i < size. Thread i computes element i or nothing.

// <lab
extern "C" __global__ void add_kernel(float *c, const float *a, const float *b, int size)
//~ // The vectors hold float now.
//~ extern "C" __global__ void add_kernel(int *c, const int *a, const int *b, int size)
// lab>
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        c[i] = a[i] + b[i];
    }
}

// The same; the first thread of warp w (counted over the whole grid) stores the clocks that the
// warp spent on its additions in dur[w], as in exercise 1.1.7. Do they cost more than those of
// ints?
extern "C" __global__ void add_dur(float *c, const float *a, const float *b, int size,
                                   unsigned *dur)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        // <lab
        unsigned start = (unsigned)clock();
        c[i] = a[i] + b[i];
        unsigned stop = (unsigned)clock();
        if (threadIdx.x % 32 == 0) dur[i / 32] = stop - start;
        //~ c[i] = a[i] + b[i];
        // lab>
    }
}
