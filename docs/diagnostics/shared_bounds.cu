// Every thread reads its right neighbour's element.
extern "C" __global__ void neighbour(int *out, const int *in)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x + 1];
}
