// n / 256 blocks are none when n is small.
//
//@ buffer x i32 100 iota 0 1
//@ run empty_grid <<<0, 256>>> (x)
//@ fault LAUNCH
//@ sanitizer none

extern "C" __global__ void empty_grid(int *x)
{
    x[threadIdx.x] += 1;
}
