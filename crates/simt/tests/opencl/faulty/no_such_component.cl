//@ error `float2` has no components `z`
__kernel void k(__global float2 *a)
{
    a[0].x = a[0].z; // <- fault
}
