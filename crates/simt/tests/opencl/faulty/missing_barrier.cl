//@ buffer x i32 64 iota 0 1
//@ buffer y i32 64 empty
//@ run missing_barrier <<<64, 64>>> (x, y, local:256)
//@ fault RACE-S s[32] block (0,0,0)
__kernel void missing_barrier(__global const int *x, __global int *y, __local int *s)
{
    int t = get_local_id(0);
    s[t] = x[t]; // <- fault
    y[t] = s[63 - t];
}
