// A library of activations: wrappers that return what a void function gives, and a kernel by name.
//@ buffer x f32 8 list -2.0 -1.5 -1.0 -0.5 0.0 0.5 1.0 1.5
//@ buffer y f32 8 zero
//@ buffer bits u32 4 zero
//@ run gelu_f32 <<<2, 4>>> (x, y, 8)
//@ run shifted <<<1, 1>>> (bits)
//@ expect y -0.0455002635717392 -0.10021080076694489 -0.15865525603294373 -0.1542687714099884 0.0 0.3457312285900116 0.8413447737693787 1.3997892141342163
//@ expect bits 3 1 3 2147483648
//@ prints gelu_body: block of 4
//@ prints gelu_body: block of 4
#include <cstdio>
#if defined(__has_include) and __has_include(<cuda_runtime.h>)
#include <cuda_runtime.h>
#endif

template <typename T> __device__ __forceinline__ T normal_below(T x);
template <> __device__ __forceinline__ float normal_below(float x) { return normcdff(x); }

template <typename T> __device__ void gelu_body(const T *x, T *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) printf("%s: block of %d\n", __func__, blockDim.x);
    if (i < n) y[i] = x[i] * normal_below(x[i]);
}
#define KERNEL(T, NAME) \
    extern "C" __global__ void NAME([[maybe_unused]] const T *x, T *y, int n) \
    { return gelu_body<T>(x, y, n); }
KERNEL(float, gelu_f32)

extern "C" __global__ void shifted(unsigned *bits)
{
    bits[0] = __funnelshift_rc(0x80000000u, 0x1u, 31);
    bits[1] = __funnelshift_rc(0x80000000u, 0x1u, 40);
    bits[2] = __funnelshift_lc(0x80000000u, 0x1u, 1);
    bits[3] = __funnelshift_lc(0x80000000u, 0x1u, 32);
}
int main()
{
    float *x, *y;
    cudaMalloc(&x, 256);
    cudaMalloc(&y, 256);
    gelu_f32<<<2, 32>>>(x, y, 64);
    return cudaDeviceSynchronize();
}
