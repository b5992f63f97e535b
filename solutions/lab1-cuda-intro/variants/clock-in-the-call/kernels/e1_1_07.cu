// c[i] = a[i] + b[i] for i < size, by kernels that tell what they do. Thread i computes element i
// or nothing. clock() reads a counter of the multiprocessor; the 32 threads of a warp read it
// together.

#define LINE "Block(%u,%u,%u), thread(%3u,%u,%u), clk=%u: %d<-%d+%d\n"

// Every thread with an element prints one LINE: its block, its thread, the clock, then c[i], a[i]
// and b[i].
extern "C" __global__ void add_print(int *c, const int *a, const int *b, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        // <lab
        c[i] = a[i] + b[i];
        printf(LINE, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z,
               (unsigned)clock(), c[i], a[i], b[i]);
        // lab>
    }
}

// The same, but only the first thread of each warp prints.
extern "C" __global__ void add_print_lane0(int *c, const int *a, const int *b, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        // <lab
        c[i] = a[i] + b[i];
        if (threadIdx.x % 32 == 0)
            printf(LINE, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y,
                   threadIdx.z, (unsigned)clock(), c[i], a[i], b[i]);
        // lab>
    }
}

// Prints nothing; the first thread of warp w (counted over the whole grid) stores the clocks that
// the warp spent on its additions in dur[w]. Only warps with an element have an entry.
extern "C" __global__ void add_dur(int *c, const int *a, const int *b, int size, unsigned *dur)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        // <lab
        unsigned start = (unsigned)clock();
        c[i] = a[i] + b[i];
        unsigned stop = (unsigned)clock();
        if (threadIdx.x % 32 == 0) dur[i / 32] = stop - start;
        // lab>
    }
}
