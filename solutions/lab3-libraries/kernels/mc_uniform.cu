// Exercise 3.1.4: numbers of (0, 1] to an interval.

// v: n numbers, each u becomes a + (b - a) u. A thread takes elements i, i + T, i + 2T, ... of the
// T threads of the grid.
extern "C" __global__ void uniform_ab(float *v, unsigned long long n, float a, float b)
{
    // <lab
    unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    float width = b - a;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += threads)
        v[i] = a + width * v[i];
    // lab>
}
