// Only half of the block comes to the barrier.
//
//@ buffer x i32 64 iota 0 1
//@ run barrier_in_branch <<<1, 64>>> (x)
//@ fault BARDIV block (0,0,0)
//@ sanitizer synccheck

extern "C" __global__ void barrier_in_branch(int *x)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    if (t % 2 == 0) {
        __syncthreads(); // <- fault
        x[t] = s[t ^ 1];
    }
}
