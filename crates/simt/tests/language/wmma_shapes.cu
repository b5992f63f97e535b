// All shapes of a warp's matrices beside plain loops: rows and columns in memory, halves, tf32,
// doubles, bytes. The numbers are whole and small, so that every sum is exact.
//
//@ buffer bad i32 9 zero
//@ run shapes <<<1, 32>>> (bad)
//@ expect bad 0 0 0 0 0 0 0 0 0
#include <mma.h>
using namespace nvcuda;

// Elements (i, j) of the two factors.
__device__ int left(int i, int j) { return (i * 5 + j * 3) % 11 - 5; }
__device__ int right(int i, int j) { return (i * 7 + j * 2) % 9 - 4; }

template <int M, int N, int K, typename T, typename E, typename D, typename LA, typename LB>
__device__ void check(bool a_rows, bool b_rows, int *bad)
{
    __shared__ E a[M * K], b[K * N];
    __shared__ D c[M * N], d[M * N];
    for (int t = threadIdx.x; t < M * K; t += 32)
        a[a_rows ? t : t % K * M + t / K] = (E)(float)left(t / K, t % K);
    for (int t = threadIdx.x; t < K * N; t += 32)
        b[b_rows ? t : t % N * K + t / N] = (E)(float)right(t / N, t % N);
    for (int t = threadIdx.x; t < M * N; t += 32)
        c[t] = (D)(t % 13);
    __syncwarp();
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, D> fc;
    wmma::load_matrix_sync(fa, a, a_rows ? K : M);
    wmma::load_matrix_sync(fb, b, b_rows ? N : K);
    wmma::load_matrix_sync(fc, c, N, wmma::mem_row_major);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, M, wmma::mem_col_major);
    __syncwarp();
    for (int t = threadIdx.x; t < M * N; t += 32) {
        int want = t % 13;
        for (int k = 0; k < K; ++k)
            want += left(t / N, k) * right(k, t % N);
        if ((int)(float)d[t % N * M + t / N] != want)
            atomicAdd(bad, 1);
    }
}

template <int M, int N, int K, typename T, typename E, typename D>
__device__ void rows(int *bad)
{
    check<M, N, K, T, E, D, wmma::row_major, wmma::row_major>(true, true, bad);
}
template <int M, int N, int K, typename T, typename E, typename D>
__device__ void columns(int *bad)
{
    check<M, N, K, T, E, D, wmma::col_major, wmma::col_major>(false, false, bad);
}

extern "C" __global__ void shapes(int *bad)
{
    rows<32, 8, 16, half, half, float>(bad);
    columns<8, 32, 16, half, half, half>(bad + 1);
    columns<32, 8, 16, __nv_bfloat16, __nv_bfloat16, float>(bad + 2);
    rows<16, 16, 8, wmma::precision::tf32, float, float>(bad + 3);
    columns<16, 16, 8, wmma::precision::tf32, float, float>(bad + 4);
    rows<8, 8, 4, double, double, double>(bad + 5);
    columns<8, 8, 4, double, double, double>(bad + 6);
    rows<8, 32, 16, signed char, signed char, int>(bad + 7);
    // What tf32 keeps of a number: 10 bits behind the point.
    if (threadIdx.x == 0 && wmma::__float_to_tf32(1.0f + 3.0f / 4096) != 1.0f + 1.0f / 1024)
        atomicAdd(&bad[8], 1);
}
