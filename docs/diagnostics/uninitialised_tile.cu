// Each block reverses its part of the input through shared memory.
#define N 64

extern "C" __global__ void reverse(int *out, const int *in)
{
    __shared__ int tile[N + 1];
    int t = threadIdx.x;
    tile[t] = in[blockIdx.x * N + t];
    __syncthreads();
    out[blockIdx.x * N + t] = tile[N - t];
}
