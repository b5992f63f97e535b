// 2048 threads in a block.
//
//@ buffer x i32 2048 iota 0 1
//@ run block_too_large <<<1, 2048>>> (x)
//@ fault LAUNCH
//@ sanitizer none

extern "C" __global__ void block_too_large(int *x)
{
    x[threadIdx.x] += 1;
}
