// The warps go round the loop a different number of times.
//
//@ buffer x i32 64 iota 0 1
//@ run barrier_in_uneven_loop <<<1, 64>>> (x)
//@ fault BARDIV block (0,0,0)
//@ sanitizer synccheck

extern "C" __global__ void barrier_in_uneven_loop(int *x)
{
    int t = threadIdx.x;
    for (int k = 0; k < 1 + t / 16; ++k)
        __syncthreads(); // <- fault
    x[t] = t;
}
