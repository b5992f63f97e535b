// The last warp sums alone, in step by __syncwarp.
// Twin: in the belief that a warp is always in step.
//
//@ buffer out i32 1 empty
//@ run reduce_warp_tail <<<1, 64>>> (out)
//@ expect out 64
//@ fault RACE-S

#ifdef FAULTY
#define STEP()
#else
#define STEP() __syncwarp()
#endif

extern "C" __global__ void reduce_warp_tail(int *out)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = 1;
    __syncthreads();
    if (t < 32) {
        for (int d = 32; d > 0; d /= 2) {
            int v = s[t] + s[t + d]; // <- fault
            STEP();
            s[t] = v; // <- fault
            STEP();
        }
    }
    if (t == 0)
        *out = s[0];
}
