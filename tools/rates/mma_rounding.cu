// How far a card's tensor cores are from the exact sum of products, in units of K * 2^-23 * S with
// S = |c| + sum |a||b|: docs/kernel-language.md, "Sums of products of a warp", promises at most 1.
//
//     nvcc -std=c++17 -O3 -arch=sm_90 tools/rates/mma_rounding.cu -o mma_rounding && ./mma_rounding
#include <cmath>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <random>

using namespace nvcuda;

// Each warp multiplies 16 x K by K x 16 and adds 16 x 16, all row by row.
template <typename Fragment, typename Stored, int K>
__global__ void product(const Stored *a, const Stored *b, const float *c, float *d)
{
    wmma::fragment<wmma::matrix_a, 16, 16, K, Fragment, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, K, Fragment, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, K, float> sum;
    size_t tile = blockIdx.x;
    wmma::load_matrix_sync(fa, a + tile * 16 * K, K);
    wmma::load_matrix_sync(fb, b + tile * 16 * K, 16);
    wmma::load_matrix_sync(sum, c + tile * 256, 16, wmma::mem_row_major);
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(d + tile * 256, sum, 16, wmma::mem_row_major);
}

// As the tensor core reads it: tf32 keeps 10 bits of the fraction.
template <typename Fragment, typename Stored> float as_read(Stored v)
{
    float f = (float)v;
    if constexpr (sizeof(Stored) == 4) {
        unsigned bits;
        memcpy(&bits, &f, 4);
        bits &= ~0x1fffu;
        memcpy(&f, &bits, 4);
    }
    return f;
}

template <typename Fragment, typename Stored, int K> void measure(const char *name, double spread)
{
    const int tiles = 1 << 14;
    Stored *a, *b;
    float *c, *d;
    Stored *ha = new Stored[tiles * 16 * K], *hb = new Stored[tiles * 16 * K];
    float *hc = new float[tiles * 256], *hd = new float[tiles * 256];
    std::mt19937 random(1);
    std::uniform_real_distribution<double> sign(-1, 1), power(-spread, spread);
    auto value = [&] { return (float)(sign(random) * exp2(power(random))); };
    for (int i = 0; i < tiles * 16 * K; ++i)
        ha[i] = (Stored)value(), hb[i] = (Stored)value();
    for (int i = 0; i < tiles * 256; ++i)
        hc[i] = value();
    cudaMalloc(&a, sizeof(Stored) * tiles * 16 * K);
    cudaMalloc(&b, sizeof(Stored) * tiles * 16 * K);
    cudaMalloc(&c, 4 * tiles * 256);
    cudaMalloc(&d, 4 * tiles * 256);
    cudaMemcpy(a, ha, sizeof(Stored) * tiles * 16 * K, cudaMemcpyHostToDevice);
    cudaMemcpy(b, hb, sizeof(Stored) * tiles * 16 * K, cudaMemcpyHostToDevice);
    cudaMemcpy(c, hc, 4 * tiles * 256, cudaMemcpyHostToDevice);
    product<Fragment, Stored, K><<<tiles, 32>>>(a, b, c, d);
    cudaMemcpy(hd, d, 4 * tiles * 256, cudaMemcpyDeviceToHost);
    double worst = 0, ascending = 0;
    for (int t = 0; t < tiles; ++t)
        for (int i = 0; i < 256; ++i) {
            double exact = hc[t * 256 + i], size = fabs(exact);
            float one_by_one = hc[t * 256 + i];
            for (int k = 0; k < K; ++k) {
                float x = as_read<Fragment>(ha[t * 16 * K + i / 16 * K + k]);
                float y = as_read<Fragment>(hb[t * 16 * K + k * 16 + i % 16]);
                exact += (double)x * y;
                size += fabs((double)x * y);
                one_by_one += x * y;
            }
            double unit = K * exp2(-23) * size;
            worst = fmax(worst, fabs(hd[t * 256 + i] - exact) / unit);
            ascending = fmax(ascending, fabs(hd[t * 256 + i] - one_by_one) / unit);
        }
    printf("%-5s K %2d, exponents +-%2.0f: from the exact sum %.3f, from ", name, K, spread, worst);
    const char *error = cudaGetErrorString(cudaDeviceSynchronize());
    printf("the emulator's order %.3f (%s)\n", ascending, error);
}

int main()
{
    for (double spread : {0., 4., 7.}) {
        measure<half, half, 16>("half", spread);
        measure<__nv_bfloat16, __nv_bfloat16, 16>("bf16", spread);
        measure<wmma::precision::tf32, float, 8>("tf32", spread);
    }
}
