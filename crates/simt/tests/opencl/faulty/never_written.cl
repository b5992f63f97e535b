//@ buffer a f32 64 empty
//@ buffer b f32 64 empty
//@ run copy <<<64, 32>>> (a, b)
//@ fault UNINIT a[0]
__kernel void copy(__global const float *a, __global float *b)
{
    b[get_global_id(0)] = a[get_global_id(0)]; // <- fault
}
