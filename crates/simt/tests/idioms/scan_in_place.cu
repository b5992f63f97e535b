// Scan in place: read, barrier, write, barrier.
// Twin: the barrier between reading and writing is missing.
//
//@ buffer last i32 1 empty
//@ run scan_in_place <<<1, 128>>> (last)
//@ expect last 128
//@ fault RACE-S

extern "C" __global__ void scan_in_place(int *last)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = 1;
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        int v = t >= d ? s[t - d] : 0; // <- fault
#ifndef FAULTY
        __syncthreads();
#endif
        s[t] += v; // <- fault
        __syncthreads();
    }
    if (t == 127)
        *last = s[t];
}
