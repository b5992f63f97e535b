//@ error references are C++
void f(float &a) { a = 1; } // <- fault
__kernel void k(__global float *a) { float x; f(x); a[0] = x; }
