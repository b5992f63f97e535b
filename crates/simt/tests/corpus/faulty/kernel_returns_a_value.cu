// Kernels return nothing.
//
//@ error void
//@ sanitizer none

extern "C" __global__ int kernel_returns_a_value(int *c) // <- fault
{
    return c[0];
}
