// Rows in 8 bits with a scale for each row, as inference does.
//@ buffer x f32 8 list 1 2 4 8 0.5 -0.25 0.125 1
//@ buffer back f32 8 zero
//@ run quantize <<<2, 4>>> (x, back, 4)
//@ expect back 1 2 4 8 0.5 -0.25 0.125 1
#include <cuda_fp8.h>
#include <cuda_bf16.h>
__global__ void quantize(const float *x, float *back, int n)
{
    __shared__ float largest;
    const float *row = x + blockIdx.x * n;
    if (threadIdx.x == 0) {
        float m = 0;
        for (int i = 0; i < n; ++i) m = fmaxf(m, fabsf(row[i]));
        largest = m;
    }
    __syncthreads();
    const float scale = largest / 256.0f;
    __nv_fp8_e4m3 q = __nv_fp8_e4m3(row[threadIdx.x] / scale);
    back[blockIdx.x * n + threadIdx.x] = float(q) * scale;
}
int main() { return 0; }
