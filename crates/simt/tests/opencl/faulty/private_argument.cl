//@ error `a` points to private memory
__kernel void k(float *a) // <- fault
{
    a[0] = 1;
}
