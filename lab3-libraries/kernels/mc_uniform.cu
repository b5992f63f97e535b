// Exercise 3.1.4: numbers of (0, 1] to an interval.

// v: n numbers, each u becomes a + (b - a) u. A thread takes elements i, i + T, i + 2T, ... of the
// T threads of the grid.
extern "C" __global__ void uniform_ab(float *v, unsigned long long n, float a, float b)
{
    // <lab
    // lab>
}
