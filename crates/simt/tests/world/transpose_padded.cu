// Transpose by tiles with a padding column; copy kernels beside it.
//@ buffer in f32 64 iota 0 1
//@ buffer out f32 64 zero
//@ run transposeNoBankConflicts <<<(2,2), (4,2)>>> (out, in, 8, 8)
//@ expect out 0 8 16 24 32 40 48 56 1 9 17 25 33 41 49 57 2 10 18 26 34 42 50 58 3 11 19 27 35 43 51 59 4 12 20 28 36 44 52 60 5 13 21 29 37 45 53 61 6 14 22 30 38 46 54 62 7 15 23 31 39 47 55 63
#define TILE_DIM 4
#define BLOCK_ROWS 2
__global__ void transposeNoBankConflicts(float *odata, float *idata, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int xIndex = blockIdx.x * TILE_DIM + threadIdx.x, yIndex = blockIdx.y * TILE_DIM + threadIdx.y;
    int index_in = xIndex + (yIndex)*width;
    xIndex = blockIdx.y * TILE_DIM + threadIdx.x;
    yIndex = blockIdx.x * TILE_DIM + threadIdx.y;
    int index_out = xIndex + (yIndex)*height;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        tile[threadIdx.y + i][threadIdx.x] = idata[index_in + i * width];
    __syncthreads();
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        odata[index_out + i * height] = tile[threadIdx.x][threadIdx.y + i];
}
int main(int argc, char **argv)
{
    void (*kernel)(float *, float *, int, int);
    const char *kernelName = "optimized";
    kernel = &transposeNoBankConflicts;
    kernel<<<dim3(2, 2), dim3(TILE_DIM, BLOCK_ROWS)>>>(0, 0, 8, 8);
    return kernelName[0] == 'x';
}
