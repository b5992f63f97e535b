// Pi by a quasi-random sequence: two dimensions of Sobol numbers, a stretch of the sequence for
// each thread.
//@ buffer dims u32 64 list 2147483648 1073741824 536870912 268435456 134217728 67108864 33554432 16777216 8388608 4194304 2097152 1048576 524288 262144 131072 65536 32768 16384 8192 4096 2048 1024 512 256 128 64 32 16 8 4 2 1 2147483648 3221225472 2684354560 4026531840 2281701376 3422552064 2852126720 4278190080 2155872256 3233808384 2694840320 4042260480 2290614272 3435921408 2863267840 4294901760 2147516416 3221274624 2684395520 4026593280 2281736192 3422604288 2852170240 4278255360 2155905152 3233857728 2694881440 4042322160 2290649224 3435973836 2863311530 4294967295
//@ buffer first f32 8 zero
//@ buffer hits i32 1 zero
//@ run throw_points <<<4, 32>>> (dims, hits, first, 32)
//@ expect first 0.5 0.75 0.25 0.375 0.875 0.625 0.125 0.1875
//@ expect hits 3215
#include <curand.h>
#include <curand_kernel.h>
#include <iostream>
#define CURAND_CALL(x) \
    do { \
        if ((x) != CURAND_STATUS_SUCCESS) { \
            std::cerr << __FILE__ << ":" << __LINE__; \
            return 1; \
        } \
    } while (0)

__global__ void throw_points(curandDirectionVectors32_t *dims, int *hits, float *first, int each)
{
    const unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
    curandStateSobol32 sx, sy;
    curand_init(dims[0], 1 + tid * each, &sx);
    curand_init(dims[1], 1 + tid * each, &sy);
    int inside = 0;
    for (int i = 0; i < each; ++i) {
        float x = curand_uniform(&sx), y = curand_uniform(&sy);
        if (tid == 0 && i < 8)
            first[i] = x;
        inside += x * x + y * y <= 1.0f;
    }
    for (int d = 16; d > 0; d >>= 1)
        inside += __shfl_down_sync(0xffffffff, inside, d);
    if (threadIdx.x == 0)
        atomicAdd(hits, inside);
}

int main()
{
    curandDirectionVectors32_t *host, *dims;
    int *hits;
    float *first;
    CURAND_CALL(curandGetDirectionVectors32(&host, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
    cudaMalloc(&dims, 2 * sizeof(curandDirectionVectors32_t));
    cudaMalloc(&hits, sizeof(int));
    cudaMalloc(&first, 8 * sizeof(float));
    cudaMemcpy(dims, host, 2 * sizeof(curandDirectionVectors32_t), cudaMemcpyHostToDevice);
    throw_points<<<4, 32>>>(dims, hits, first, 32);
    return cudaDeviceSynchronize() != cudaSuccess;
}
