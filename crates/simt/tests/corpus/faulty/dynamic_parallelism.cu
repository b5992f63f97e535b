// A launch from a kernel is not supported, and said so.
//
//@ error launch
//@ sanitizer none

__global__ void child(int *x) { x[0] = 1; }

extern "C" __global__ void dynamic_parallelism(int *x)
{
    child<<<1, 1>>>(x); // <- fault
}
