// The largest of a list, beginning with nothing.
//
//@ buffer x i32 32 iota 0 1
//@ buffer y i32 32 empty
//@ run local_not_set <<<1, 32>>> (x, y)
//@ fault UNINIT thread (0,0,0) block (0,0,0)
//@ sanitizer none

extern "C" __global__ void local_not_set(const int *x, int *y)
{
    int best;
    for (int k = 0; k < 32; ++k)
        if (x[k] > best) // <- fault
            best = x[k];
    y[threadIdx.x] = best;
}
