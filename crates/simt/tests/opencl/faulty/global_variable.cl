//@ error write `__constant` before it
const int n = 3; // <- fault
__kernel void k(__global float *a) { a[0] = 1; }
