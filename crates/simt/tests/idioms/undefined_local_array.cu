// A thread's own array, filled as far as it is used.
// Twin: read beyond that.
//
//@ buffer out i32 4 empty
//@ run undefined_local_array <<<1, 4>>> (out, 3)
//@ expect out 3 3 3 3
//@ fault UNINIT

extern "C" __global__ void undefined_local_array(int *out, int n)
{
    int a[8], sum = 0;
    for (int i = 0; i < n; ++i)
        a[i] = i;
#ifdef FAULTY
    n += threadIdx.x;
#endif
    for (int i = 0; i < n; ++i)
        sum += a[i]; // <- fault
    out[threadIdx.x] = sum;
}
