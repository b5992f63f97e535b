// A pointer that was never set.
//
//@ buffer x f32 32 zero
//@ run null_pointer <<<1, 32>>> (x, 0)
//@ fault OOB-G thread (0,0,0) block (0,0,0)
//@ sanitizer memcheck

extern "C" __global__ void null_pointer(float *x, const float *y)
{
    x[threadIdx.x] = y[threadIdx.x]; // <- fault
}
