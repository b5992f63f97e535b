// The step was forgotten.
//
//@ buffer x i32 32 iota 0 1
//@ run endless_loop <<<1, 32>>> (x)
//@ fault STEPS block (0,0,0)
//@ sanitizer none

extern "C" __global__ void endless_loop(int *x)
{
    int n = 0;
    while (n < 10) // <- fault
        x[threadIdx.x] += 1;
}
