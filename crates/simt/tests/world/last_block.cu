// Threadfence reduction: the last block adds the partial sums.
//@ buffer x f32 64 fill 1
//@ buffer part f32 2 zero
//@ buffer out f32 1 zero
//@ run sum <<<2, 32>>> (x, part, out)
//@ expect out 64
__device__ unsigned int retirementCount = 0;
__global__ void sum(const float *x, volatile float *part, float *out)
{
    float v = x[blockIdx.x * 32 + threadIdx.x];
    for (int d = 16; d; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
    __shared__ bool amLast;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = v;
        __threadfence();
        unsigned int ticket = atomicInc(&retirementCount, gridDim.x);
        amLast = (ticket == gridDim.x - 1);
    }
    __syncthreads();
    if (amLast && threadIdx.x == 0) {
        float s = 0;
        for (unsigned i = 0; i < gridDim.x; ++i) s += part[i];
        *out = s;
        retirementCount = 0;
    }
}
int main() { return 0; }
