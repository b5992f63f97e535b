// Where variables live, and what a host finds by name.
#define TAPS 4
#include "helpers.cuh"

__constant__ float weight[TAPS] = {0.1f, 0.2f, 0.3f, 0.4f};
__device__ unsigned launches;
extern __shared__ float dynamic_tile[];

extern "C" __global__ void __launch_bounds__(64)
    variables(float *__restrict__ out, const float *__restrict__ in)
{
    __shared__ float tile[64 + TAPS];
    const int t = threadIdx.x;
    float local[TAPS];
    tile[t] = in[t];
    if (t < TAPS)
        tile[64 + t] = 0.0f;
    dynamic_tile[t] = twice(in[t]);
    __syncthreads();
    float sum = dynamic_tile[63 - t];
#pragma unroll
    for (int k = 0; k < TAPS; ++k) {
        local[k] = tile[t + k];
        sum += weight[k] * local[k];
    }
    out[t] = sum;
    if (t == 0)
        atomicAdd(&launches, 1u);
}
