// A static counter in a device function, as in old debugging code, and a table beside it.
//@ buffer out i32 2 zero
//@ run go <<<1, 1>>> (out)
//@ run go <<<1, 1>>> (out)
//@ expect out 2 30
__device__ int calls() { static int n = 0; return ++n; }
__device__ int weight(int i) { static const int w[] = {10, 20, 30}; return w[i]; }
__global__ void go(int *out) { int n = calls(); out[0] = n; out[1] = weight(n); }
int main() { return 0; }
