// How many sums of products a card's tensor cores make otherwise than docs/kernel-language.md,
// "Sums of products of a warp", says.
//
//     nvcc -std=c++17 -O3 -arch=sm_90 tools/rates/mma_rounding.cu -o mma_rounding && ./mma_rounding
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <random>
#include <vector>

using namespace nvcuda;

// Each warp multiplies 16 x K by K x 16 and adds 16 x 16, all row by row.
template <typename Fragment, typename Stored, typename Sum, int K>
__global__ void product(const Stored *a, const Stored *b, const Sum *c, Sum *d)
{
    wmma::fragment<wmma::matrix_a, 16, 16, K, Fragment, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, K, Fragment, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, K, Sum> sum;
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

// The place of a number's leading bit, were it set; a half has none below 2^-14.
template <typename T> int place(float v)
{ return std::is_same<T, half>::value ? std::max(std::ilogb(v), -14) : std::ilogb(v); }

// The sum of K products as the page says; a column's elements are 16 apart.
template <typename Fragment, typename Stored, typename Sum, int K>
Sum as_said(Sum c, const Stored *row, const Stored *column)
{
    if constexpr (K == 8) { // of `wmma`
        const Sum first = as_said<Fragment, Stored, Sum, 4>(c, row, column);
        return as_said<Fragment, Stored, Sum, 4>(first, row + 4, column + 4 * 16);
    }
    double terms[K + 1] = {(double)(float)c};
    int places[K + 1] = {place<Sum>((float)c)}, lowest = -10000;
    for (int k = 0; k < K; ++k) {
        const float x = as_read<Fragment>(row[k]), y = as_read<Fragment>(column[k * 16]);
        terms[k + 1] = (double)x * y;
        places[k + 1] = place<Stored>(x) + place<Stored>(y);
    }
    for (int k = 0; k <= K; ++k)
        if (terms[k] != 0)
            lowest = std::max(lowest, places[k] - 25);
    double total = 0;
    for (double term : terms)
        total += std::trunc(std::ldexp(term, -lowest));
    total = std::ldexp(total, lowest);
    if constexpr (sizeof(Sum) == 2)
        return __double2half(total);
    const float near = (float)total;
    return std::fabs(near) > std::fabs(total) ? std::nextafterf(near, 0) : near;
}

template <typename Fragment, typename Stored, typename Sum, int K>
void measure(const char *name, double spread)
{
    const int tiles = 1 << 14;
    std::vector<Stored> a(tiles * 16 * K), b(a.size());
    std::vector<Sum> c(tiles * 256), d(c.size());
    std::mt19937 random(1);
    std::uniform_real_distribution<double> sign(-1, 1), power(-spread, spread);
    auto value = [&] { return (float)(sign(random) * exp2(power(random))); };
    for (size_t i = 0; i < a.size(); ++i)
        a[i] = (Stored)value(), b[i] = (Stored)value();
    for (Sum &v : c)
        v = (Sum)value();
    Stored *da, *db;
    Sum *dc, *dd;
    cudaMalloc(&da, sizeof(Stored) * a.size());
    cudaMalloc(&db, sizeof(Stored) * b.size());
    cudaMalloc(&dc, sizeof(Sum) * c.size());
    cudaMalloc(&dd, sizeof(Sum) * d.size());
    cudaMemcpy(da, a.data(), sizeof(Stored) * a.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), sizeof(Stored) * b.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c.data(), sizeof(Sum) * c.size(), cudaMemcpyHostToDevice);
    product<Fragment, Stored, Sum, K><<<tiles, 32>>>(da, db, dc, dd);
    cudaMemcpy(d.data(), dd, sizeof(Sum) * d.size(), cudaMemcpyDeviceToHost);
    size_t other = 0;
    for (int t = 0; t < tiles; ++t)
        for (int i = 0; i < 256; ++i) {
            const Stored *row = &a[t * 16 * K + i / 16 * K], *column = &b[t * 16 * K + i % 16];
            const Sum said = as_said<Fragment, Stored, Sum, K>(c[t * 256 + i], row, column);
            other += memcmp(&said, &d[t * 256 + i], sizeof(Sum)) != 0;
        }
    printf("%-18s K %2d, exponents +-%2.0f: %zu of %zu differ (%s)\n", name, K, spread, other,
           d.size(), cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    cudaFree(dd);
}

int main()
{
    for (double spread : {0., 4., 7.}) {
        measure<half, half, float, 16>("half", spread);
        measure<half, half, half, 16>("half, sum in half", spread);
        measure<__nv_bfloat16, __nv_bfloat16, float, 16>("bf16", spread);
        measure<wmma::precision::tf32, float, float, 8>("tf32", spread);
    }
    measure<__nv_bfloat16, __nv_bfloat16, float, 16>("bf16", 20);
    measure<wmma::precision::tf32, float, float, 8>("tf32", 20);
}
