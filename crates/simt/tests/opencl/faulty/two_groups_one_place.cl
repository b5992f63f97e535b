//@ buffer sum f32 1 zero
//@ buffer a f32 64 iota 0 1
//@ run add_up <<<64, 32>>> (a, sum)
//@ fault RACE-G sum[0]
__kernel void add_up(__global const float *a, __global float *sum)
{
    sum[0] += a[get_global_id(0)]; // <- fault
}
