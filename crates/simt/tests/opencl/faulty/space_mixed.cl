//@ error a pointer to `__local` memory cannot become one to `__global` memory
void put(__global float *p) { *p = 0; }
__kernel void k(__global float *a)
{
    __local float s[4];
    put(s); // <- fault
    a[0] = s[0];
}
