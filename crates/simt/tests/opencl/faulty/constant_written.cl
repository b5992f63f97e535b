//@ error __constant
__constant int table[2] = { 1, 2 };
__kernel void k(__global int *a)
{
    table[0] = a[0]; // <- fault
}
