// The input is const.
//
//@ error const
//@ sanitizer none

extern "C" __global__ void writes_through_const(const float *a)
{
    a[threadIdx.x] = 0.0f; // <- fault
}
