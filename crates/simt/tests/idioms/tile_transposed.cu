// A square turned through shared memory.
// Twin: no barrier.
//
//@ buffer x i32 256 iota 0 1
//@ buffer y i32 256 empty
//@ buffer same i32 1 zero
//@ run tile_transposed <<<1, (16, 16)>>> (x, y)
//@ run tile_transposed_check <<<1, 1>>> (y, same)
//@ expect same 1
//@ fault RACE-S

extern "C" __global__ void tile_transposed(const int *x, int *y)
{
    __shared__ int tile[16][17];
    int i = threadIdx.x, j = threadIdx.y;
    tile[j][i] = x[16 * j + i]; // <- fault
#ifndef FAULTY
    __syncthreads();
#endif
    y[16 * j + i] = tile[i][j]; // <- fault
}

extern "C" __global__ void tile_transposed_check(const int *y, int *same)
{
    *same = 1;
    for (int k = 0; k < 256; ++k)
        if (y[k] != k % 16 * 16 + k / 16)
            *same = 0;
}
