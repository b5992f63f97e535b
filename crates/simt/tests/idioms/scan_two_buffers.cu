// Inclusive scan in log steps from one row of a tile to the other.
// Twin: within one row.
//
//@ buffer out i32 64 empty
//@ buffer last i32 1 zero
//@ run scan_two_buffers <<<1, 64>>> (out)
//@ run scan_two_buffers_last <<<1, 1>>> (out, last)
//@ expect last 64
//@ fault RACE-S

extern "C" __global__ void scan_two_buffers(int *out)
{
    __shared__ int tile[2][64];
    int t = threadIdx.x, from = 0;
    tile[0][t] = 1;
    for (int d = 1; d < 64; d *= 2) {
        __syncthreads();
#ifdef FAULTY
        int to = from;
#else
        int to = 1 - from;
#endif
        tile[to][t] = tile[from][t] + (t >= d ? tile[from][t - d] : 0); // <- fault
        from = to;
    }
    out[t] = tile[from][t];
}

extern "C" __global__ void scan_two_buffers_last(const int *out, int *last)
{
    *last = out[63];
}
