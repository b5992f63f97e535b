//@ error write `barrier(CLK_LOCAL_MEM_FENCE)`
__kernel void k(__global int *a)
{
    barrier(); // <- fault
    a[0] = 1;
}
