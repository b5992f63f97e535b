// A stencil swept twice, from one buffer to the other and back.
// Twin: in place.
//
//@ buffer a i32 66 fill 1
//@ buffer b i32 66 fill 1
//@ run sweeps_two_buffers <<<2, 32>>> (a, b)
//@ run sweeps_two_buffers <<<2, 32>>> (b, a)
//@ buffer sum i32 1 zero
//@ run sweeps_two_buffers_sum <<<1, 1>>> (a, sum)
//@ expect sum 572
//@ fault RACE-G

extern "C" __global__ void sweeps_two_buffers(const int *from, int *to)
{
    int i = 1 + blockIdx.x * 32 + threadIdx.x;
#ifdef FAULTY
    to[i] = to[i - 1] + to[i] + to[i + 1]; // <- fault
#else
    to[i] = from[i - 1] + from[i] + from[i + 1];
#endif
}

extern "C" __global__ void sweeps_two_buffers_sum(const int *a, int *sum)
{
    for (int i = 1; i < 65; ++i)
        *sum += a[i];
}
