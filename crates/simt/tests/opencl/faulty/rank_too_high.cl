//@ error a `double` does not fit the `float` components of the vector
__kernel void k(__global float4 *a)
{
    a[0] = a[0] * 2.0; // <- fault
}
