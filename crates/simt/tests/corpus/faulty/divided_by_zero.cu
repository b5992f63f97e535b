// Thread 0 divides by its own number.
//
//@ buffer y i32 32 empty
//@ run divided_by_zero <<<1, 32>>> (y)
//@ fault DIV0 thread (0,0,0) block (0,0,0)
//@ sanitizer none

extern "C" __global__ void divided_by_zero(int *y)
{
    y[threadIdx.x] = 100 / (int)threadIdx.x; // <- fault
}
