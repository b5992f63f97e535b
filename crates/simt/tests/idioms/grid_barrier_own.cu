// A barrier of the whole grid out of a counter, as programs for persistent blocks have it: all
// blocks must be at work at once. Twin: what the block did is not fenced before it is counted.
//
//@ buffer a f32 512 zero
//@ buffer b f32 512 zero
//@ buffer count u32 1 zero
//@ run start <<<4, 128>>> (a)
//@ run grid_barrier_own <<<4, 128>>> (a, b, count)
//@ run grid_barrier_own_check <<<1, 1>>> (a, count)
//@ expect count 1
//@ fault RACE-G

extern "C" __global__ void start(float *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i % 7;
}

__device__ void grid_barrier(unsigned *count, unsigned goal)
{
    __syncthreads();
    if (threadIdx.x == 0) {
#ifndef FAULTY
        __threadfence();
#endif
        atomicAdd(count, 1);
        while (atomicAdd(count, 0) < goal)
            ;
        __threadfence();
    }
    __syncthreads();
}

extern "C" __global__ void grid_barrier_own(float *a, float *b, unsigned *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    for (int step = 0; step < 3; step++) {
        b[i] = a[(i + n - 1) % n] + a[(i + 1) % n]; // <- fault
        grid_barrier(count, (2 * step + 1) * gridDim.x);
        a[i] = 0.5f * b[i]; // <- fault
        grid_barrier(count, (2 * step + 2) * gridDim.x);
    }
}

extern "C" __global__ void grid_barrier_own_check(const float *a, unsigned *count)
{
    float x[512], y[512];
    for (int i = 0; i < 512; i++)
        x[i] = i % 7;
    for (int step = 0; step < 3; step++) {
        for (int i = 0; i < 512; i++)
            y[i] = x[(i + 511) % 512] + x[(i + 1) % 512];
        for (int i = 0; i < 512; i++)
            x[i] = 0.5f * y[i];
    }
    bool same = true;
    for (int i = 0; i < 512; i++)
        same &= a[i] == x[i];
    *count = same;
}
