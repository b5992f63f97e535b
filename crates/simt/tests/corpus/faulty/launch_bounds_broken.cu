// The kernel was compiled for 128 threads.
//
//@ buffer x i32 256 iota 0 1
//@ run launch_bounds_broken <<<1, 256>>> (x)
//@ fault LAUNCH
//@ sanitizer none

extern "C" __global__ void __launch_bounds__(128) launch_bounds_broken(int *x)
{
    x[threadIdx.x] += 1;
}
