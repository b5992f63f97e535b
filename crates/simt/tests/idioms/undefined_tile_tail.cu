// A tile is filled as far as there is data; sums stop there.
// Twin: the whole tile is added.
//
//@ buffer x i32 20 fill 1
//@ buffer out i32 1 empty
//@ run undefined_tile_tail <<<1, 32>>> (x, 20, out)
//@ expect out 20
//@ fault UNINIT

extern "C" __global__ void undefined_tile_tail(const int *x, int n, int *out)
{
    __shared__ int tile[32];
    if (threadIdx.x < n)
        tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
#ifdef FAULTY
        n = 32;
#endif
        for (int i = 0; i < n; ++i)
            sum += tile[i]; // <- fault
        *out = sum;
    }
}
