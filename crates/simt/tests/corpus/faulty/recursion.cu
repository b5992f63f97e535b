// Recursion without a bound.
//
//@ buffer y i32 32 empty
//@ run recursion <<<1, 32>>> (y)
//@ fault ERROR|STEPS|OOM
//@ sanitizer none

__device__ int down(int n)
{
    return n + down(n + 1); // <- fault
}

extern "C" __global__ void recursion(int *y)
{
    y[threadIdx.x] = down(threadIdx.x);
}
