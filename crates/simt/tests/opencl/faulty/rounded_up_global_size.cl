//@ buffer a f32 100 iota 0 1
//@ run scale <<<128, 32>>> (a)
//@ fault OOB-G a[100] thread (4,0,0) block (3,0,0)
__kernel void scale(__global float *a)
{
    a[get_global_id(0)] *= 2.0f; // <- fault
}
