// Transposes a matrix of 64 x 64 floats in tiles of 32 x 32; PAD columns are added to the tile.
#ifndef PAD
#define PAD 0
#endif

extern "C" __global__ void transpose(float *out, const float *in)
{
    __shared__ float tile[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * 64 + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    out[y * 64 + x] = tile[threadIdx.x][threadIdx.y];
}
