// Constant memory cannot be written by kernels.
//
//@ symbol limits i32 4 list 1 2 3 4
//@ run constant_written <<<1, 4>>> ()
//@ fault READONLY thread (0,0,0) block (0,0,0)
//@ sanitizer none

__constant__ int limits[4];

extern "C" __global__ void constant_written()
{
    int *p = (int *)limits;
    p[threadIdx.x] = 7; // <- fault
}
