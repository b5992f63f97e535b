// Each thread was meant to have an element of its own, and all write element 0 with different
// values.
//
//@ buffer y i32 4 zero
//@ run everybody_writes <<<1, 64>>> (y)
//@ fault RACE-G y[0] block (0,0,0)
//@ sanitizer none

extern "C" __global__ void everybody_writes(int *y)
{
    int i = threadIdx.x / 64;
    y[i] = threadIdx.x; // <- fault
}
