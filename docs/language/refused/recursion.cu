__device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

extern "C" __global__ void f(int *out) { out[threadIdx.x] = factorial(5); }
