//@ error the call of `max` is ambiguous
__kernel void k(__global uint *a)
{
    a[0] = max(a[1], 0); // <- fault
}
