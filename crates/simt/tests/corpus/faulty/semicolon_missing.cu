// The message belongs to the line that lacks the semicolon.
//
//@ error ;
//@ sanitizer none

extern "C" __global__ void semicolon_missing(float *c)
{
    int i = threadIdx.x // <- fault
    c[i] = 0.0f;
}
