// One element breaks the promise.
//
//@ buffer x i32 64 iota -40 1
//@ buffer y f32 64 empty
//@ run assertion_fails <<<2, 32>>> (x, y)
//@ fault ASSERT thread (0,0,0) block (0,0,0)
//@ sanitizer none

#include <assert.h>

extern "C" __global__ void assertion_fails(const int *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(x[i] >= 0); // <- fault
    y[i] = sqrtf(x[i]);
}
