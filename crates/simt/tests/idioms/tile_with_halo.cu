// A tile with one more element on each side, filled by the threads at the edges.
// Twin: no barrier behind the edges.
//
//@ buffer x i32 66 fill 1
//@ buffer y i32 64 empty
//@ buffer sum i32 1 zero
//@ run tile_with_halo <<<1, 64>>> (x, y)
//@ run tile_with_halo_sum <<<1, 1>>> (y, sum)
//@ expect sum 192
//@ fault RACE-S

extern "C" __global__ void tile_with_halo(const int *x, int *y)
{
    __shared__ int tile[66];
    int t = threadIdx.x;
    tile[t + 1] = x[t + 1]; // <- fault
#ifdef FAULTY
    __syncthreads();
#endif
    if (t < 2)
        tile[65 * t] = x[65 * t]; // <- fault
#ifndef FAULTY
    __syncthreads();
#endif
    y[t] = tile[t] + tile[t + 1] + tile[t + 2]; // <- fault
}

extern "C" __global__ void tile_with_halo_sum(const int *y, int *sum)
{
    for (int i = 0; i < 64; ++i)
        *sum += y[i];
}
