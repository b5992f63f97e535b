// Sum in halves, a barrier after each.
// Twin: a barrier only before the loop.
//
//@ buffer out i32 2 empty
//@ run reduce_tree <<<2, 128>>> (out)
//@ expect out 128 128
//@ fault RACE-S

extern "C" __global__ void reduce_tree(int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = 1;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half]; // <- fault
#ifndef FAULTY
        __syncthreads();
#endif
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
