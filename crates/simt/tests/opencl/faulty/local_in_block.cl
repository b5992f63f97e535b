//@ error move the declaration to the top of the kernel
__kernel void k(__global float *a)
{
    if (a[0] > 0) {
        __local float s[4]; // <- fault
        s[0] = 1;
    }
}
