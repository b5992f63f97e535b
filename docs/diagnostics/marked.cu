// Marks which of 16 values occur.
extern "C" __global__ void marked(int *seen, int *any, const int *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int v = values[i] % 16;
        if (seen[v] == 0) {
            seen[v] = 1;
#ifdef COUNTED
            atomicAdd(any, 1);
#else
            *any = 1;
#endif
        }
    }
}
