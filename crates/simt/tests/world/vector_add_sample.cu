// In the manner of vendor samples: checked calls, padded launch, result compared on the host.
//@ buffer a f32 70 iota 0 1
//@ buffer b f32 70 fill 2
//@ buffer c f32 70 zero
//@ run vectorAdd <<<2, 64>>> (a, b, c, 70)
//@ expect c 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71
#include <stdio.h>
#include <cuda_runtime.h>
#include <helper_cuda.h>

#define CHECK(call) \
    do { \
        cudaError_t e = (call); \
        if (e != cudaSuccess) { \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
            exit(EXIT_FAILURE); \
        } \
    } while (0)

__global__ void vectorAdd(const float *A, const float *B, float *C, int numElements)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < numElements) C[i] = A[i] + B[i] + 0.0f;
}

int main(void)
{
    int n = 70; size_t size = n * sizeof(float);
    float *h_A = (float *)malloc(size), *d_A = NULL;
    CHECK(cudaMalloc((void **)&d_A, size));
    CHECK(cudaMemcpy(d_A, h_A, size, cudaMemcpyHostToDevice));
    vectorAdd<<<(n + 63) / 64, 64>>>(d_A, d_A, d_A, n);
    CHECK(cudaGetLastError());
    for (int i = 0; i < n; ++i)
        if (fabs(h_A[i]) > 1e-5) {
            fprintf(stderr, "bad %d\n", i);
            exit(EXIT_FAILURE);
        }
    free(h_A); cudaFree(d_A);
    return 0;
}
