// A stencil over padded rows computes in the padding, too; only the inside is used.
// Twin: the padding leaks into the sum.
//
//@ buffer x f32 34 empty
//@ buffer y f32 34 empty
//@ buffer sum f32 1 zero
//@ run undefined_stencil_fill <<<1, 32>>> (x)
//@ run undefined_stencil <<<1, 32>>> (x, y)
//@ run undefined_stencil_sum <<<1, 1>>> (y, sum)
//@ expect sum 30
//@ fault UNINIT

extern "C" __global__ void undefined_stencil_fill(float *x)
{
    x[1 + threadIdx.x] = 1;
}

extern "C" __global__ void undefined_stencil(const float *x, float *y)
{
    int i = 1 + threadIdx.x;
    y[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1]; // <- fault
}

extern "C" __global__ void undefined_stencil_sum(const float *y, float *sum)
{
#ifdef FAULTY
    for (int i = 1; i < 33; ++i)
#else
    for (int i = 2; i < 32; ++i)
#endif
        *sum += y[i];
}
