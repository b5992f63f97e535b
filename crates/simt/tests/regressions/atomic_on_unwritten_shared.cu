// Some lanes count in shared memory that nobody has written; the addresses of the others are none.
//
//@ buffer out i32 4 zero
//@ run f <<<1, 32>>> (out)
//@ expect out 1 1 1 1
extern "C" __global__ void f(int *out)
{
    __shared__ int s[4];
    int t = threadIdx.x;
    if (t < 4) {
        atomicAdd(&s[t], 1);
        out[t] = 1;
    }
}
