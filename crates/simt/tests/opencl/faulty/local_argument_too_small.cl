//@ buffer x f32 64 iota 0 1
//@ run shift <<<64, 64>>> (x, local:256, local:256)
//@ fault OOB-S a[64]
__kernel void shift(__global float *x, __local float *a, __local float *b)
{
    int t = get_local_id(0);
    b[t] = x[t];
    a[t + 1] = x[t]; // <- fault
    barrier(CLK_LOCAL_MEM_FENCE);
    x[t] = a[t + 1] + b[t];
}
