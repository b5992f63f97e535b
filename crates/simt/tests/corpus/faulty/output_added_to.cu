// The result was never set to zero.
//
//@ buffer x i32 64 iota 0 1
//@ buffer y i32 64 empty
//@ run output_added_to <<<2, 32>>> (x, y)
//@ fault UNINIT y[0] thread (0,0,0) block (0,0,0)
//@ sanitizer initcheck

extern "C" __global__ void output_added_to(const int *x, int *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] += x[i]; // <- fault
}
