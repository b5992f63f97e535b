// The last block has more threads than elements are left, and nothing stops them.
//
//@ buffer a f32 1000 iota 0 1
//@ buffer c f32 1000 empty
//@ run missing_guard <<<4, 256>>> (a, c)
//@ fault OOB-G a[1000] thread (232,0,0) block (3,0,0)
//@ sanitizer memcheck

extern "C" __global__ void missing_guard(const float *a, float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = 2.0f * a[i]; // <- fault
}
