// Warp reduction by a macro with a statement expression.
//@ buffer x i32 64 iota 1 1
//@ buffer out i32 2 zero
//@ run warpReduce <<<1, 64>>> (x, out)
//@ expect out 528 1552
#define FULL_MASK 0xffffffff
#define MAXV(a, b) ({ __typeof__(a) _x = (a); __typeof__(b) _y = (b); _x > _y ? _x : _y; })
__inline__ __device__ int warpReduceSum(int val)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        val += __shfl_down_sync(FULL_MASK, val, offset);
    return val;
}
__global__ void warpReduce(const int *x, int *out)
{
    int v = warpReduceSum(MAXV(x[threadIdx.x], 0));
    if ((threadIdx.x & (warpSize - 1)) == 0) out[threadIdx.x / warpSize] = v;
}
int main(int, char **) { return 0; }
