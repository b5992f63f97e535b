// The first thread has no left neighbour.
//
//@ buffer x f32 256 iota 0 1
//@ buffer y f32 256 empty
//@ run halo_without_border <<<1, 256>>> (x, y, 256)
//@ fault OOB-G x[-1] thread (0,0,0) block (0,0,0)
//@ sanitizer memcheck

extern "C" __global__ void halo_without_border(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 0.5f * x[i] + 0.5f * x[i - 1]; // <- fault
}
