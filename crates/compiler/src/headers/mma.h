// Matrices of a warp, 16 by 16: sums of products in float or int, rounded once at the end for half.
// A lane holds half a row of A and of the accumulator, and half a column of B; a card's layout is
// its own secret.
#pragma once
#include <cuda_fp16.h>
#include <cuda_bf16.h>

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };

template <typename Use, int M, int N, int K, typename T, typename Layout = void> struct fragment {
    static_assert(M == 16 && N == 16 && K == 16, "wmma has the shape 16, 16, 16 here");
    enum { num_elements = 8 };
    T x[num_elements];
};

__device__ unsigned int __lane()
{
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}
template <typename Use, typename T, typename L> __device__ void fill_fragment(fragment<Use, 16, 16, 16, T, L> &f, T v)
{
    for (int j = 0; j < 8; ++j)
        f.x[j] = v;
}

// The element that part `j` of this lane is, in rows (`byRow`) or in columns of the matrix.
__device__ size_t __element(int j, unsigned int stride, bool byRow, bool rowsInMemory)
{
    unsigned int across = __lane() % 16, along = __lane() / 16 * 8 + j;
    return byRow == rowsInMemory ? across * (size_t)stride + along : along * (size_t)stride + across;
}
template <typename T> __device__ void load_matrix_sync(fragment<matrix_a, 16, 16, 16, T, row_major> &f, const T *p, unsigned int stride)
{
    for (int j = 0; j < 8; ++j)
        f.x[j] = p[__element(j, stride, true, true)];
}
template <typename T> __device__ void load_matrix_sync(fragment<matrix_a, 16, 16, 16, T, col_major> &f, const T *p, unsigned int stride)
{
    for (int j = 0; j < 8; ++j)
        f.x[j] = p[__element(j, stride, true, false)];
}
template <typename T> __device__ void load_matrix_sync(fragment<matrix_b, 16, 16, 16, T, row_major> &f, const T *p, unsigned int stride)
{
    for (int j = 0; j < 8; ++j)
        f.x[j] = p[__element(j, stride, false, true)];
}
template <typename T> __device__ void load_matrix_sync(fragment<matrix_b, 16, 16, 16, T, col_major> &f, const T *p, unsigned int stride)
{
    for (int j = 0; j < 8; ++j)
        f.x[j] = p[__element(j, stride, false, false)];
}
template <typename T> __device__ void load_matrix_sync(fragment<accumulator, 16, 16, 16, T> &f, const T *p, unsigned int stride, layout_t layout)
{
    for (int j = 0; j < 8; ++j)
        f.x[j] = p[__element(j, stride, true, layout == mem_row_major)];
}
template <typename T> __device__ void store_matrix_sync(T *p, const fragment<accumulator, 16, 16, 16, T> &f, unsigned int stride, layout_t layout)
{
    for (int j = 0; j < 8; ++j)
        p[__element(j, stride, true, layout == mem_row_major)] = f.x[j];
}

template <typename S, typename T, typename D, typename C, typename LA, typename LB>
__device__ void __mma(fragment<accumulator, 16, 16, 16, D> &d, const fragment<matrix_a, 16, 16, 16, T, LA> &a,
                      const fragment<matrix_b, 16, 16, 16, T, LB> &b, const fragment<accumulator, 16, 16, 16, C> &c)
{
    S sum[8], row[8], other[8], column[8];
    bool low = __lane() < 16;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        S mine = (S)a.x[k], theirs = __shfl_xor_sync(0xffffffffu, mine, 16);
        row[k] = low ? mine : theirs;
        other[k] = low ? theirs : mine;
        column[k] = (S)b.x[k];
    }
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        int from = (low ? 0 : 8) + j;
        sum[j] = (S)c.x[j];
#pragma unroll
        for (int k = 0; k < 8; ++k)
            sum[j] += row[k] * __shfl_sync(0xffffffffu, column[k], from);
#pragma unroll
        for (int k = 0; k < 8; ++k)
            sum[j] += other[k] * __shfl_sync(0xffffffffu, column[k], from + 16);
    }
#pragma unroll
    for (int j = 0; j < 8; ++j)
        d.x[j] = (D)sum[j];
}
template <typename D, typename C, typename LA, typename LB>
__device__ void mma_sync(fragment<accumulator, 16, 16, 16, D> &d, const fragment<matrix_a, 16, 16, 16, __half, LA> &a,
                         const fragment<matrix_b, 16, 16, 16, __half, LB> &b, const fragment<accumulator, 16, 16, 16, C> &c)
{
    __mma<float>(d, a, b, c);
}
template <typename LA, typename LB>
__device__ void mma_sync(fragment<accumulator, 16, 16, 16, float> &d, const fragment<matrix_a, 16, 16, 16, __nv_bfloat16, LA> &a,
                         const fragment<matrix_b, 16, 16, 16, __nv_bfloat16, LB> &b, const fragment<accumulator, 16, 16, 16, float> &c)
{
    __mma<float>(d, a, b, c);
}
template <typename LA, typename LB>
__device__ void mma_sync(fragment<accumulator, 16, 16, 16, int> &d, const fragment<matrix_a, 16, 16, 16, signed char, LA> &a,
                         const fragment<matrix_b, 16, 16, 16, signed char, LB> &b, const fragment<accumulator, 16, 16, 16, int> &c)
{
    __mma<int>(d, a, b, c);
}
template <typename LA, typename LB>
__device__ void mma_sync(fragment<accumulator, 16, 16, 16, int> &d, const fragment<matrix_a, 16, 16, 16, unsigned char, LA> &a,
                         const fragment<matrix_b, 16, 16, 16, unsigned char, LB> &b, const fragment<accumulator, 16, 16, 16, int> &c)
{
    __mma<int>(d, a, b, c);
}

}
}
