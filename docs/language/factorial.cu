__device__ int factorial(int n) { return n == 0 ? 1 : n * factorial(n - 1); }
extern "C" __global__ void k(int *out) { out[threadIdx.x] = factorial(threadIdx.x - 1); }
