// A A^T by the tensor cores: the kernels of section 2.3 on a real GPU, beside cuBLAS with the same
// numbers. See tools/lab2/bench.sh.
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "../../lab2-optimization/kernels/mmt_tensor.cu"

static void check(int error, const char *what)
{
    if (error) { fprintf(stderr, "error: %s: %d\n", what, error); exit(1); }
}
#define OK(call) check((int)(call), #call)

template <class F> static float best_ms(F f, int runs = 10)
{
    cudaEvent_t a, b;
    OK(cudaEventCreate(&a)); OK(cudaEventCreate(&b));
    float best = 1e30f;
    for (int i = 0; i < runs; i++) {
        OK(cudaEventRecord(a)); f(); OK(cudaEventRecord(b)); OK(cudaEventSynchronize(b));
        float ms; OK(cudaEventElapsedTime(&ms, a, b));
        best = std::min(best, ms);
    }
    OK(cudaGetLastError());
    return best;
}

__global__ void to_bf16(__nv_bfloat16 *to, const float *from, size_t count)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x)
        to[i] = __float2bfloat16(from[i]);
}

typedef void (*Pack)(unsigned *, const float *, int, int, int);
typedef void (*Multiply)(float *, const uint4 *, int, int);

struct Kind {
    const char *name;
    Pack pack;
    Multiply multiply;
    int depth, parts;
};

static const Kind kinds[] = {
    {"bf16", pack_bf16, mmt_bf16, 16, 1},
    {"tf32", pack_tf32, mmt_tf32, 8, 1},
    {"bf16_twice", pack_bf16_twice, mmt_bf16_twice, 16, 2},
    {"tf32_twice", pack_tf32_twice, mmt_tf32_twice, 8, 2},
};

// The greatest difference of two m x m products, and elements of the first that are not their
// mirror images.
static double difference(const float *da, const float *db, int m, size_t &unsymmetric)
{
    std::vector<float> a((size_t)m * m), b((size_t)m * m);
    OK(cudaMemcpy(a.data(), da, a.size() * 4, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(b.data(), db, b.size() * 4, cudaMemcpyDeviceToHost));
    double worst = 0;
    unsymmetric = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double d = fabs((double)a[(size_t)i * m + j] - b[(size_t)i * m + j]);
            if (!(d <= worst)) worst = d;
            unsymmetric += !(a[(size_t)i * m + j] == a[(size_t)j * m + i]);
        }
    return worst;
}

static void product(int m, int n)
{
    std::vector<float> a((size_t)m * n);
    unsigned seed = 1;
    for (float &v : a) { seed = seed * 1664525u + 1013904223u; v = (int)seed / 2147483648.0f; }
    float *da, *dc, *dw;
    __nv_bfloat16 *half;
    OK(cudaMalloc(&da, a.size() * 4)); OK(cudaMalloc(&half, a.size() * 2));
    OK(cudaMalloc(&dc, (size_t)m * m * 4)); OK(cudaMalloc(&dw, (size_t)m * m * 4));
    OK(cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice));
    cublasHandle_t blas;
    OK(cublasCreate(&blas));
    const float one = 1, zero = 0;
    const double flop = 2.0 * m * m * n / 1e9;
    // Row-major A is column-major A^T, n x m.
    auto gemm = [&](const void *from, cudaDataType type, cublasComputeType_t compute) {
        OK(cublasGemmEx(blas, CUBLAS_OP_T, CUBLAS_OP_N, m, m, n, &one, from, type, n, from, type,
                        n, &zero, dw, CUDA_R_32F, m, compute, CUBLAS_GEMM_DEFAULT));
    };
    for (const Kind &kind : kinds) {
        const bool bf16 = kind.depth == 16;
        float library = NAN, rounding = 0;
        if (kind.parts == 1) {
            if (bf16)
                rounding = best_ms([&] { to_bf16<<<1056, 256>>>(half, da, a.size()); });
            library = best_ms([&] {
                if (bf16) gemm(half, CUDA_R_16BF, CUBLAS_COMPUTE_32F);
                else gemm(da, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32);
            });
        } else {
            gemm(da, CUDA_R_32F, CUBLAS_COMPUTE_32F);
        }
        const int steps = std::max(1, ((n + kind.depth - 1) / kind.depth + 3) / 4 * 4);
        const int blocks = (m + 127) / 128, fragments = blocks * 8;
        const int shared = STAGES * STAGE * 16;
        uint4 *packed;
        OK(cudaMalloc(&packed, (size_t)fragments * steps * kind.parts * 512));
        OK(cudaMemset(dc, 0xff, (size_t)m * m * 4));
        OK(cudaFuncSetAttribute(kind.multiply, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                shared));
        auto first = [&] {
            kind.pack<<<dim3(steps / 4, fragments), 128>>>((unsigned *)packed, da, m, n, steps);
        };
        const float pack = best_ms(first);
        const float ms = best_ms([&] {
            first();
            kind.multiply<<<dim3(blocks, blocks), 128, shared>>>(dc, packed, m, steps);
        });
        size_t unsymmetric;
        const double worst = difference(dc, dw, m, unsymmetric);
        printf("%d x %d %-10s %.3f ms (packing alone %.3f), %.1f TFLOP/s effective", m, n,
               kind.name, ms, pack, flop / ms);
        if (kind.parts == 1)
            printf("; cuBLAS %.3f ms (rounding alone %.3f), %.1f TFLOP/s; %.2f times as fast",
                   library + rounding, rounding, flop / (library + rounding),
                   (library + rounding) / ms);
        printf("; worst difference from %s %.1e, %zu not symmetric\n",
               kind.parts == 1 ? "it" : "sgemm", worst, unsymmetric);
        OK(cudaFree(packed));
    }
    cublasDestroy(blas);
    cudaFree(da); cudaFree(half); cudaFree(dc); cudaFree(dw);
}

int main()
{
    product(2368, 6208);
    product(4096, 4096);
    product(8192, 8192);
    product(1000, 1600);
}
