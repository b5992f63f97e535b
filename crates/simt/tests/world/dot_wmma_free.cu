// A dot product in three precisions through one macro that writes kernels.
//@ buffer a i32 8 iota 1 1
//@ buffer d f64 1 zero
//@ buffer i i32 1 zero
//@ run dot_int <<<1, 8>>> (a, i)
//@ run dot_double <<<1, 8>>> (a, d)
//@ expect i 204
//@ expect d 204
#define DOT(T) \
    extern "C" __global__ void dot_##T(const int *a, T *out) \
    { \
        T v = (T)a[threadIdx.x] * a[threadIdx.x]; \
        atomicAdd(out, v); \
    }
DOT(int)
DOT(float)
DOT(double)
#undef DOT
int main() { assert(sizeof(double) == 8); dot_float<<<1, 8>>>(0, 0); return 0; }
