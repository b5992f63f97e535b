// Counts how often each of 16 values occurs.
extern "C" __global__ void histogram(int *bins, const int *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bins[values[i] % 16] += 1;
}
