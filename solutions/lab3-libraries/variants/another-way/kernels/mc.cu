// Exercise 3.1.3 in another right way: remainders without division, ballots in place of shuffles,
// and an atomic in shared memory.

// <lab
__device__ unsigned long long times(unsigned long long a, unsigned long long b)
{
    // a * b mod 2^31 - 1, for a, b below 2^31: 2^31 is 1 there.
    unsigned long long p = a * b;
    p = (p >> 31) + (p & 2147483647);
    return p >= 2147483647 ? p - 2147483647 : p;
}

__device__ double uniform(unsigned long long i, unsigned seed)
{
    unsigned long long state = seed, power = 48271;
    for (unsigned long long e = i + 1; e != 0; e /= 2) {
        state = (e % 2) ? times(state, power) : state;
        power = times(power, power);
    }
    return (double)(state - 1) / 2147483646.0;
}

extern "C" __global__ void mc_gen(float *x, float *y, float *z, unsigned long long n, unsigned seed,
                                  float a, float b)
{
    float *axes[3] = {x, y, z};
    size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x, all = (size_t)gridDim.x * blockDim.x;
    double low = a, width = (double)b - (double)a;
    for (int axis = 0; axis < 3; axis++)
        for (size_t i = t; i < n; i += all)
            axes[axis][i] = (float)(low + width * uniform(axis * n + i, seed));
}

extern "C" __global__ void mc_hits(const float *x, const float *y, const float *z,
                                   unsigned long long n, unsigned long long *hits)
{
    __shared__ unsigned block;
    if (threadIdx.x == 0)
        block = 0;
    __syncthreads();
    // Whole warps go round together, so that all lanes vote.
    size_t all = (size_t)gridDim.x * blockDim.x;
    unsigned warp = 0;
    for (size_t first = (size_t)blockIdx.x * blockDim.x + (threadIdx.x & ~31u); first < n;
         first += all) {
        size_t i = first + (threadIdx.x & 31);
        bool hit = false;
        if (i < n) {
            float u = x[i], v = y[i], w = z[i];
            hit = u * u + v * v + w * w <= 1.0f;
        }
        warp += __popc(__ballot_sync(0xffffffffu, hit));
    }
    if ((threadIdx.x & 31) == 0 && warp > 0)
        atomicAdd(&block, warp);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(hits, (unsigned long long)block);
}
// lab>
