// Matrices of a warp: half in and float or half out, columns and rows in memory, bytes with int.
//
//@ buffer a f32 256 zero
//@ buffer b f32 256 zero
//@ buffer c f32 256 zero
//@ buffer t f32 256 zero
//@ buffer n i32 256 zero
//@ run fill <<<1, 256>>> (a, b)
//@ run product <<<1, 32>>> (a, b, c, t)
//@ run bytes <<<1, 32>>> (a, b, n)
//@ expect c 21 -25 -43 -33 5 43 39 21 -25 -43 -33 5 43 39 21 -25 35 33 -11 -27 -29 -17 23 35 33 -11 -27 -29 -17 23 35 33 9 51 51 9 -33 -47 -33 9 51 51 9 -33 -47 -33 9 51 -27 -11 33 35 23 -17 -29 -27 -11 33 35 23 -17 -29 -27 -11 -33 -43 -25 21 39 43 5 -33 -43 -25 21 39 43 5 -33 -43 21 -25 -43 -33 5 43 39 21 -25 -43 -33 5 43 39 21 -25 35 33 -11 -27 -29 -17 23 35 33 -11 -27 -29 -17 23 35 33 9 51 51 9 -33 -47 -33 9 51 51 9 -33 -47 -33 9 51 -27 -11 33 35 23 -17 -29 -27 -11 33 35 23 -17 -29 -27 -11 -33 -43 -25 21 39 43 5 -33 -43 -25 21 39 43 5 -33 -43 21 -25 -43 -33 5 43 39 21 -25 -43 -33 5 43 39 21 -25 35 33 -11 -27 -29 -17 23 35 33 -11 -27 -29 -17 23 35 33 9 51 51 9 -33 -47 -33 9 51 51 9 -33 -47 -33 9 51 -27 -11 33 35 23 -17 -29 -27 -11 33 35 23 -17 -29 -27 -11 -33 -43 -25 21 39 43 5 -33 -43 -25 21 39 43 5 -33 -43 21 -25 -43 -33 5 43 39 21 -25 -43 -33 5 43 39 21 -25
//@ expect t 10 17 4 -14 -17 10 17 4 -14 -17 10 17 4 -14 -17 10 -13 16 25 -6 -22 -13 16 25 -6 -22 -13 16 25 -6 -22 -13 -22 -6 25 16 -13 -22 -6 25 16 -13 -22 -6 25 16 -13 -22 -17 -14 4 17 10 -17 -14 4 17 10 -17 -14 4 17 10 -17 2 -15 -17 11 19 2 -15 -17 11 19 2 -15 -17 11 19 2 21 -9 -24 -9 21 21 -9 -24 -9 21 21 -9 -24 -9 21 21 19 11 -17 -15 2 19 11 -17 -15 2 19 11 -17 -15 2 19 10 17 4 -14 -17 10 17 4 -14 -17 10 17 4 -14 -17 10 -13 16 25 -6 -22 -13 16 25 -6 -22 -13 16 25 -6 -22 -13 -22 -6 25 16 -13 -22 -6 25 16 -13 -22 -6 25 16 -13 -22 -17 -14 4 17 10 -17 -14 4 17 10 -17 -14 4 17 10 -17 2 -15 -17 11 19 2 -15 -17 11 19 2 -15 -17 11 19 2 21 -9 -24 -9 21 21 -9 -24 -9 21 21 -9 -24 -9 21 21 19 11 -17 -15 2 19 11 -17 -15 2 19 11 -17 -15 2 19 10 17 4 -14 -17 10 17 4 -14 -17 10 17 4 -14 -17 10 -13 16 25 -6 -22 -13 16 25 -6 -22 -13 16 25 -6 -22 -13
//@ expect n 10 -13 -22 -17 2 21 19 10 -13 -22 -17 2 21 19 10 -13 17 16 -6 -14 -15 -9 11 17 16 -6 -14 -15 -9 11 17 16 4 25 25 4 -17 -24 -17 4 25 25 4 -17 -24 -17 4 25 -14 -6 16 17 11 -9 -15 -14 -6 16 17 11 -9 -15 -14 -6 -17 -22 -13 10 19 21 2 -17 -22 -13 10 19 21 2 -17 -22 10 -13 -22 -17 2 21 19 10 -13 -22 -17 2 21 19 10 -13 17 16 -6 -14 -15 -9 11 17 16 -6 -14 -15 -9 11 17 16 4 25 25 4 -17 -24 -17 4 25 25 4 -17 -24 -17 4 25 -14 -6 16 17 11 -9 -15 -14 -6 16 17 11 -9 -15 -14 -6 -17 -22 -13 10 19 21 2 -17 -22 -13 10 19 21 2 -17 -22 10 -13 -22 -17 2 21 19 10 -13 -22 -17 2 21 19 10 -13 17 16 -6 -14 -15 -9 11 17 16 -6 -14 -15 -9 11 17 16 4 25 25 4 -17 -24 -17 4 25 25 4 -17 -24 -17 4 25 -14 -6 16 17 11 -9 -15 -14 -6 16 17 11 -9 -15 -14 -6 -17 -22 -13 10 19 21 2 -17 -22 -13 10 19 21 2 -17 -22 10 -13 -22 -17 2 21 19 10 -13 -22 -17 2 21 19 10 -13
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void fill(float *a, float *b)
{
    int i = threadIdx.x / 16, j = threadIdx.x % 16;
    a[threadIdx.x] = (i + 2 * j) % 5 - 2;
    b[threadIdx.x] = (3 * i + j) % 7 - 3;
}

extern "C" __global__ void product(const float *a, const float *b, float *c, float *t)
{
    __shared__ half sa[256], sb[256], sc[256];
    for (int i = threadIdx.x; i < 256; i += 32) {
        sa[i] = __float2half(a[i]);
        sb[i % 16 * 16 + i / 16] = __float2half(b[i]);
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> fh;
    wmma::fill_fragment(fc, 0.0f);
    wmma::fill_fragment(fh, __float2half(0.0f));
    wmma::load_matrix_sync(fa, sa, 16);
    wmma::load_matrix_sync(fb, sb, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    for (int i = 0; i < fc.num_elements; ++i)
        fc.x[i] = 2.0f * fc.x[i] + 1.0f;
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
    wmma::mma_sync(fh, fa, fb, fh);
    wmma::store_matrix_sync(sc, fh, 16, wmma::mem_col_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32)
        t[i] = __half2float(sc[i]);
}

extern "C" __global__ void bytes(const float *a, const float *b, int *n)
{
    __shared__ signed char sa[256], sb[256];
    for (int i = threadIdx.x; i < 256; i += 32) {
        sa[i % 16 * 16 + i / 16] = a[i];
        sb[i] = b[i];
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::col_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc;
    wmma::fill_fragment(fc, 0);
    wmma::load_matrix_sync(fa, sa, 16);
    wmma::load_matrix_sync(fb, sb, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(n, fc, 16, wmma::mem_row_major);
}
