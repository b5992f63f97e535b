// More dynamic shared memory than a block may have.
//
//@ buffer x i32 32 iota 0 1
//@ run shared_too_large <<<1, 32, 300000>>> (x)
//@ fault LAUNCH
//@ sanitizer none

extern "C" __global__ void shared_too_large(int *x)
{
    extern __shared__ int s[];
    s[threadIdx.x] = x[threadIdx.x];
}
