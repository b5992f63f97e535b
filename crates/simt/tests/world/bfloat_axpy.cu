// Brain floats as storage.
//@ buffer x u16 4 list 16256 16384 16448 16512
//@ buffer y f32 4 zero
//@ run axpy <<<1, 4>>> (x, y, 2)
//@ expect y 2 4 6 8
#include <cuda_bf16.h>
__global__ void axpy(const __nv_bfloat16 *x, float *y, float a)
{
    int i = threadIdx.x;
    y[i] = a * __bfloat162float(x[i]) + y[i];
}
int main() { return sizeof(__nv_bfloat16) - 2; }
