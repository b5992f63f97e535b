//@ error a pointer to `__global` memory cannot become one to `__private` memory
__kernel void k(__global float *a)
{
    float *p = a + get_global_id(0); // <- fault
    *p = 0;
}
