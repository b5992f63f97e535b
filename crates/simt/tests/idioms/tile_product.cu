// A product of matrices by tiles: a barrier before a tile is used and one before it is replaced.
// Twin: the second one is missing.
//
//@ buffer a i32 256 fill 1
//@ buffer b i32 256 fill 2
//@ buffer c i32 256 empty
//@ buffer sum i32 1 zero
//@ run tile_product <<<(2, 2), (8, 8)>>> (a, b, c)
//@ run tile_product_sum <<<1, 1>>> (c, sum)
//@ expect sum 8192
//@ fault RACE-S

extern "C" __global__ void tile_product(const int *a, const int *b, int *c)
{
    __shared__ int ta[8][8], tb[8][8];
    int i = threadIdx.y, j = threadIdx.x, row = blockIdx.y * 8 + i, col = blockIdx.x * 8 + j;
    int sum = 0;
    for (int k = 0; k < 16; k += 8) {
        ta[i][j] = a[row * 16 + k + j]; // <- fault
        tb[i][j] = b[(k + i) * 16 + col]; // <- fault
        __syncthreads();
        for (int m = 0; m < 8; ++m)
            sum += ta[i][m] * tb[m][j];
#ifndef FAULTY
        __syncthreads();
#endif
    }
    c[row * 16 + col] = sum;
}

extern "C" __global__ void tile_product_sum(const int *c, int *sum)
{
    for (int i = 0; i < 256; ++i)
        *sum += c[i];
}
