// The host passed the size in bytes.
//
//@ buffer x i32 64 iota 0 1
//@ run bytes_for_elements <<<1, 256>>> (x, 256)
//@ fault OOB-G x[64] thread (64,0,0) block (0,0,0)
//@ sanitizer memcheck

extern "C" __global__ void bytes_for_elements(int *x, int n)
{
    int i = threadIdx.x;
    if (i < n)
        x[i] += 1; // <- fault
}
