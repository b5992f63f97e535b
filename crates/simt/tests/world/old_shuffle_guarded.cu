// Old shuffles behind a macro of the architecture.
//@ buffer x i32 32 fill 1
//@ run sum32 <<<1, 32>>> (x)
//@ expect x 32 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
#if defined(CUDART_VERSION) && CUDART_VERSION >= 9000
#define SHFL_DOWN(v, d) __shfl_down_sync(0xffffffff, (v), (d))
#else
#define SHFL_DOWN(v, d) __shfl_down((v), (d))
#endif
__global__ void sum32(int *x)
{
    int v = x[threadIdx.x];
    for (int d = 16; d; d /= 2) v += SHFL_DOWN(v, d);
    if (!threadIdx.x) x[0] = v;
}
int main() { return 0; }
