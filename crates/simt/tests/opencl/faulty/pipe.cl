//@ error pipes are an optional part of OpenCL 3.0
__kernel void k(__read_only pipe int p, __global int *a) { a[0] = 1; } // <- fault
