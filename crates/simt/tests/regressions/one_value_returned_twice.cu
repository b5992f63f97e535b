// A function that returns early gives back a structure with one value in two components: the value
// went to the first one's register, and the second one was read where it no longer was.
//
//@ buffer in i32 9 iota 0 1
//@ buffer out i32 8 empty
//@ run twice <<<1, 8>>> (in, out)
//@ expect out 0 2002 6006 12012 20020 30030 42042 1001

__device__ int2 square(int a, int b)
{
    if (a > 6)
        return make_int2(1, 1);
    return make_int2(a * b, a * b);
}

extern "C" __global__ void twice(const int *in, int *out)
{
    int2 v = square(in[threadIdx.x], in[threadIdx.x + 1]);
    out[threadIdx.x] = v.x * 1000 + v.y;
}
