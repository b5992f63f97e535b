int host_only(int x) { return x + 1; }

extern "C" __global__ void f(int *out) { out[threadIdx.x] = host_only(3); }
