// `<=` instead of `<`.
//
//@ buffer c i32 100 empty
//@ run guard_lets_one_through <<<1, 128>>> (c, 100)
//@ fault OOB-G c[100] thread (100,0,0) block (0,0,0)
//@ sanitizer memcheck

extern "C" __global__ void guard_lets_one_through(int *c, int n)
{
    int i = threadIdx.x;
    if (i <= n)
        c[i] = i; // <- fault
}
