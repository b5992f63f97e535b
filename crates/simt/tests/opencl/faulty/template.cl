//@ error `template` is C++
template <typename T> void f(__global T *a) { a[0] = 1; } // <- fault
__kernel void k(__global float *a) { f(a); }
