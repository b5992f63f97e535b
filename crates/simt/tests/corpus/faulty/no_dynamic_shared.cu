// The third launch parameter was forgotten.
//
//@ buffer x i32 64 iota 0 1
//@ run no_dynamic_shared <<<1, 64>>> (x)
//@ fault OOB-S thread (0,0,0) block (0,0,0)
//@ sanitizer memcheck

extern "C" __global__ void no_dynamic_shared(int *x)
{
    extern __shared__ int s[];
    s[threadIdx.x] = x[threadIdx.x]; // <- fault
    __syncthreads();
    x[threadIdx.x] = s[63 - threadIdx.x];
}
