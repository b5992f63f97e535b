// Tensor cores by the wmma interface: one warp computes a tile of 16 by 16, in steps of 16.
//@ buffer c f32 256 zero
//@ buffer diagonal f32 3 zero
//@ run go <<<1, 32>>> (c, diagonal)
//@ expect diagonal 32 47 0
#include <mma.h>
#include <cuda_fp16.h>
using namespace nvcuda;
const int WMMA_M = 16, WMMA_N = 16, WMMA_K = 16;
__device__ half A[16 * 32], B[32 * 16];
__device__ void gemm(half *a, half *b, float *c, int M, int N, int K, float alpha, float beta)
{
    wmma::fragment<wmma::matrix_a, WMMA_M, WMMA_N, WMMA_K, half, wmma::row_major> a_frag;
    wmma::fragment<wmma::matrix_b, WMMA_M, WMMA_N, WMMA_K, half, wmma::row_major> b_frag;
    wmma::fragment<wmma::accumulator, WMMA_M, WMMA_N, WMMA_K, float> acc_frag, c_frag;
    wmma::fill_fragment(acc_frag, 0.0f);
    for (int i = 0; i < K; i += WMMA_K) {
        wmma::load_matrix_sync(a_frag, a + i, K);
        wmma::load_matrix_sync(b_frag, b + i * N, N);
        wmma::mma_sync(acc_frag, a_frag, b_frag, acc_frag);
    }
    wmma::load_matrix_sync(c_frag, c, N, wmma::mem_row_major);
    for (int i = 0; i < c_frag.num_elements; i++)
        c_frag.x[i] = alpha * acc_frag.x[i] + beta * c_frag.x[i];
    wmma::store_matrix_sync(c, c_frag, N, wmma::mem_row_major);
}
__global__ void go(float *c, float *diagonal)
{
    for (int i = threadIdx.x; i < 512; i += 32) {
        A[i] = __float2half(1.0f);
        B[i] = __float2half(i / 16 == 0 ? 1.0f + i % 16 : 1.0f);
    }
    __syncwarp();
    gemm(A, B, c, 16, 16, 32, 1.0f, 0.0f);
    __syncwarp();
    if (threadIdx.x == 0) {
        diagonal[0] = c[0];
        diagonal[1] = c[17 * 15];
        diagonal[2] = c[0] - c[16];
    }
}
int main() { return 0; }
