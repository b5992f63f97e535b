// A spelling mistake.
//
//@ error idx
//@ sanitizer none

extern "C" __global__ void name_not_declared(float *c, int n)
{
    int i = threadIdx.x;
    if (i < n)
        c[idx] = 0.0f; // <- fault
}
