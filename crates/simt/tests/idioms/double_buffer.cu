// Two tiles in turn: one barrier per step is enough.
// Twin: one tile.
//
//@ buffer out i32 64 empty
//@ buffer sum i32 1 zero
//@ run double_buffer <<<1, 64>>> (out)
//@ run double_buffer_sum <<<1, 1>>> (out, sum)
//@ expect sum 2016
//@ fault RACE-S

extern "C" __global__ void double_buffer(int *out)
{
    __shared__ int tile[2][64];
    int t = threadIdx.x, v = t;
    for (int step = 0; step < 4; ++step) {
#ifdef FAULTY
        int *now = tile[0];
#else
        int *now = tile[step % 2];
#endif
        now[t] = v; // <- fault
        __syncthreads();
        v = now[(t + 1) % 64];
    }
    out[t] = v;
}

extern "C" __global__ void double_buffer_sum(const int *out, int *sum)
{
    for (int i = 0; i < 64; ++i)
        *sum += out[i];
}
