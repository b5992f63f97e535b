//@ error this is CUDA C: write `get_local_id(0)`
__kernel void k(__global float *a)
{
    a[threadIdx.x] = 1; // <- fault
}
