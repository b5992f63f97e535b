// A buffer is copied with its border, which nobody has written and nobody looks at.
// Twin: the border is added, too.
//
//@ buffer a i32 34 empty
//@ buffer b i32 34 empty
//@ buffer sum i32 1 zero
//@ run undefined_copied_fill <<<1, 32>>> (a)
//@ run undefined_copied <<<1, 34>>> (a, b)
//@ run undefined_copied_sum <<<1, 1>>> (b, sum)
//@ expect sum 32
//@ fault UNINIT

extern "C" __global__ void undefined_copied_fill(int *a)
{
    a[1 + threadIdx.x] = 1;
}

extern "C" __global__ void undefined_copied(const int *a, int *b)
{
    b[threadIdx.x] = a[threadIdx.x]; // <- fault
}

extern "C" __global__ void undefined_copied_sum(const int *b, int *sum)
{
#ifdef FAULTY
    for (int i = 0; i < 33; ++i)
#else
    for (int i = 1; i < 33; ++i)
#endif
        *sum += b[i];
}
