//@ buffer a f32 64 iota 0 1
//@ run copy <<<4, 4>>> (a)
//@ fault MISALIGN
__kernel void copy(__global float *a)
{
    __global float4 *v = (__global float4 *)(a + 1);
    v[get_global_id(0)] = (float4)(0.0f); // <- fault
}
