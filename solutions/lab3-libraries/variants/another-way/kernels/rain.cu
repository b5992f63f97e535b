// Exercise 3.2.4 in another right way: a tree in shared memory, fused additions.

extern "C" __global__ void gen_a(float *a, const int *days, int m, float tau)
{
    // <lab
    for (int row = threadIdx.x; row < m; row += blockDim.x) {
        float age = (float)(days[row] - (int)blockIdx.x);
        a[(unsigned long long)blockIdx.x * m + row] = age < 0 ? 0.0f : expf(-age / tau);
    }
    // lab>
}

extern "C" __global__ void sgemv_t(const float *a, const float *r, float *s, int m)
{
    // <lab
    __shared__ float sum[128];
    float mine = 0;
    for (int row = threadIdx.x; row < m; row += 128)
        mine = fmaf(a[(unsigned long long)blockIdx.x * m + row], r[row], mine);
    sum[threadIdx.x] = mine;
    for (int half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            sum[threadIdx.x] += sum[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        s[blockIdx.x] = sum[0];
    // lab>
}
