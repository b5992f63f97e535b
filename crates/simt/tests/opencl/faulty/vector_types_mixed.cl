//@ error write `convert_float4(...)`
__kernel void k(__global float4 *a, __global int4 *b)
{
    a[0] = b[0]; // <- fault
}
