// Pi with the device side of cuRAND: one generator per thread, kept in global memory between two
// launches. 64 * 200 points: three standard deviations are 0.044.
//
//@ buffer states u8 4096 empty
//@ buffer pi f32 1 zero
//@ buffer normals f32 2 zero
//@ run seed_states <<<1, 64>>> (states, 1234)
//@ run throw_darts <<<1, 64>>> (states, 200, pi)
//@ run sum_normals <<<1, 64>>> (states, 100, normals)
//@ check pi within 0.05
//@ check normals within 0.06

#include <curand_kernel.h>

extern "C" __global__ void seed_states(curandState *states, unsigned long long seed)
{
    curand_init(seed, threadIdx.x, 0, &states[threadIdx.x]);
}

extern "C" __global__ void throw_darts(curandState *states, int tries, float *pi)
{
    curandState mine = states[threadIdx.x];
    int inside = 0;
    for (int t = 0; t < tries; ++t) {
        float x = curand_uniform(&mine);
        float y = curand_uniform(&mine);
        inside += x * x + y * y <= 1.0f;
    }
    states[threadIdx.x] = mine;
    atomicAdd(pi, 4.0f * inside / (tries * 64));
}

// Mean and mean square of a normal distribution: 0 and 1.
extern "C" __global__ void sum_normals(curandState *states, int tries, float *sums)
{
    curandState mine = states[threadIdx.x];
    float first = 0, second = 0;
    for (int t = 0; t < tries; ++t) {
        float v = curand_normal(&mine);
        first += v;
        second += v * v;
    }
    atomicAdd(&sums[0], first / (tries * 64));
    atomicAdd(&sums[1], second / (tries * 64));
}
