// Names that headers of ours have, too, belong to the program that uses them otherwise: a kernel
// `norm` with C linkage was refused as a second overload.
//@ buffer x f32 4 iota 1 1
//@ run norm <<<1, 4>>> (x)
//@ run rcbrt <<<1, 4>>> (x)
//@ expect x 3 6 9 12
#include <math.h>
__constant__ float j0[1] = {2.0f};
struct erfinv {
    int j1;
};
__device__ int jn(int n) { return n; }
__device__ float erfcinv(float a, float b) { return a + b; }
extern "C" __global__ void norm(float *x) { x[threadIdx.x] *= j0[0] + 1.0f + (float)jn(0); }
extern "C" __global__ void rcbrt(float *x)
{
    int j1 = 0, norm3d = (int)rcbrtf(8.0f);
    erfinv e = {j1};
    x[threadIdx.x] = erfcinv(x[threadIdx.x], (float)(e.j1 + norm3d)) + j0f(0.0f) - 1.0f;
}
