//@ error images are not supported
__kernel void k(__read_only image2d_t picture, __global float *a) { a[0] = 1; } // <- fault
