// Sum of each block's 128 elements.
extern "C" __global__ void block_sum(float *sums, const float *x)
{
    __shared__ float part[128];
    int t = threadIdx.x;
    part[t] = x[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int step = 64; step > 0; step /= 2)
        if (t < step)
            part[t] += part[t + step];
    if (t == 0)
        sums[blockIdx.x] = part[0];
}
