// Functors and pointers to device functions chosen on the host.
//@ buffer x f32 8 iota 1 1
//@ buffer y f32 8 zero
//@ buffer z f32 8 zero
//@ run transform<Square> <<<1, 8>>> (x, y, 8)
//@ run by_table <<<1, 8>>> (x, z, 1)
//@ expect y 1 4 9 16 25 36 49 64
//@ expect z 3 4 5 6 7 8 9 10
#include <cstdio>
struct Square { __host__ __device__ float operator()(float v) const { return v * v; } };
typedef float (*unary)(float);
__device__ float negate_it(float v) { return -v; }
__device__ float add_two(float v) { return v + 2; }
__device__ unary table[] = {negate_it, add_two};
template <typename F> __global__ void transform(const float *x, float *y, int n)
{
    F f;
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) y[i] = f(x[i]);
}
__global__ void by_table(const float *x, float *y, int which)
{ y[threadIdx.x] = (*table[which])(x[threadIdx.x]); }
template __global__ void transform<Square>(const float *, float *, int);
int main()
{
    unary h;
    cudaMemcpyFromSymbol(&h, table, sizeof(unary));
    transform<Square><<<1, 8>>>(nullptr, nullptr, 8);
    return 0;
}
