// The partner may not have written yet.
//
//@ buffer x i32 64 iota 0 1
//@ buffer y i32 64 empty
//@ run missing_barrier <<<1, 64>>> (x, y)
//@ fault RACE-S s[32] block (0,0,0)
//@ sanitizer racecheck

extern "C" __global__ void missing_barrier(const int *x, int *y)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = x[t]; // <- fault
    y[t] = s[63 - t];
}
