// Matrices of a warp: sums of products in half, float, double or int. A lane holds parts of one row
// of A and of the accumulator, and of one column of B; a card's layout is its own secret.
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
namespace precision {
struct tf32 {};
}

// How a product is made: all of a row and a column at once, or one after the other.
struct __at_once {};
struct __one_by_one {};
// What a matrix of T is made of, and how tensor cores see it: the kind of `__sum_of_products`, and
// `word` number w of a row or column.
template <typename T> struct __element {
    typedef T type;
    typedef __one_by_one way;
};
template <> struct __element<half> {
    typedef half type;
    typedef __at_once way;
    enum { kind = 0 };
    static __device__ unsigned int word(const half *x, int w)
    { return __half_as_ushort(x[2 * w]) | (unsigned int)__half_as_ushort(x[2 * w + 1]) << 16; }
};
template <> struct __element<__nv_bfloat16> {
    typedef __nv_bfloat16 type;
    typedef __at_once way;
    enum { kind = 1 };
    static __device__ unsigned int word(const __nv_bfloat16 *x, int w)
    {
        return __bfloat16_as_ushort(x[2 * w]) |
               (unsigned int)__bfloat16_as_ushort(x[2 * w + 1]) << 16;
    }
};
template <> struct __element<precision::tf32> {
    typedef float type;
    typedef __at_once way;
    enum { kind = 2 };
    static __device__ unsigned int word(const float *x, int w) { return __float_as_uint(x[w]); }
};
// To the nearest of the 10 bits behind the point that tensor cores read, ties away from zero.
__device__ float __float_to_tf32(float v)
{
    unsigned int u = __float_as_uint(v);
    return (u & 0x7f800000u) == 0x7f800000u ? v : __uint_as_float((u + 0x1000u) & 0xffffe000u);
}

// Rows of A and of the accumulator, columns of B: as many as a lane is one of.
template <typename Use, int M, int N> struct __across { enum { count = M }; };
template <int M, int N> struct __across<matrix_b, M, N> { enum { count = N }; };
template <typename Use, int M, int N, int K> struct __parts { enum { count = M * K / 32 }; };
template <int M, int N, int K> struct __parts<matrix_b, M, N, K> { enum { count = K * N / 32 }; };
template <int M, int N, int K> struct __parts<accumulator, M, N, K> {
    enum { count = M * N / 32 };
};

template <typename Use, int M, int N, int K, typename T, typename Layout = void> struct fragment {
    static_assert(
        (M == 16 && N == 16 && (K == 16 || K == 8)) || (M == 32 && N == 8 && K == 16) ||
            (M == 8 && N == 32 && K == 16) || (M == 8 && N == 8 && K == 4),
        "wmma has the shapes 16, 16, 16; 32, 8, 16; 8, 32, 16; 16, 16, 8 and 8, 8, 4 here");
    typedef typename __element<T>::type element_type;
    enum { num_elements = __parts<Use, M, N, K>::count };
    element_type x[num_elements];
};

__device__ unsigned int __lane()
{
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}
template <typename F, typename T> __device__ void fill_fragment(F &f, T v)
{
    for (int j = 0; j < F::num_elements; ++j)
        f.x[j] = v;
}

// Where part `j` of this lane lies in memory; `along`: the elements of its row or column are
// neighbours there.
template <typename Use, int M, int N, int K>
__device__ size_t __place(int j, unsigned int stride, bool along)
{
    unsigned int lanes = __across<Use, M, N>::count;
    unsigned int first = __lane() % lanes,
                 second = __lane() / lanes * __parts<Use, M, N, K>::count + j;
    return along ? first * (size_t)stride + second : second * (size_t)stride + first;
}
template <typename Use, int M, int N, int K, typename F, typename T>
__device__ void __load(F &f, const T *p, unsigned int stride, bool along)
{
    for (int j = 0; j < F::num_elements; ++j)
        f.x[j] = p[__place<Use, M, N, K>(j, stride, along)];
}
template <int M, int N, int K, typename T, typename E>
__device__ void load_matrix_sync(fragment<matrix_a, M, N, K, T, row_major> &f, const E *p,
                                 unsigned int stride)
{
    __load<matrix_a, M, N, K>(f, p, stride, true);
}
template <int M, int N, int K, typename T, typename E>
__device__ void load_matrix_sync(fragment<matrix_a, M, N, K, T, col_major> &f, const E *p,
                                 unsigned int stride)
{
    __load<matrix_a, M, N, K>(f, p, stride, false);
}
template <int M, int N, int K, typename T, typename E>
__device__ void load_matrix_sync(fragment<matrix_b, M, N, K, T, row_major> &f, const E *p,
                                 unsigned int stride)
{
    __load<matrix_b, M, N, K>(f, p, stride, false);
}
template <int M, int N, int K, typename T, typename E>
__device__ void load_matrix_sync(fragment<matrix_b, M, N, K, T, col_major> &f, const E *p,
                                 unsigned int stride)
{
    __load<matrix_b, M, N, K>(f, p, stride, true);
}
template <int M, int N, int K, typename T>
__device__ void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *p,
                                 unsigned int stride, layout_t layout)
{
    __load<accumulator, M, N, K>(f, p, stride, layout == mem_row_major);
}
template <int M, int N, int K, typename T>
__device__ void store_matrix_sync(T *p, const fragment<accumulator, M, N, K, T> &f,
                                  unsigned int stride, layout_t layout)
{
    for (int j = 0; j < M * N / 32; ++j)
        p[__place<accumulator, M, N, K>(j, stride, layout == mem_row_major)] = f.x[j];
}

// The sum of eight words' products on top of `c`; of tf32 (kind 2) four at a time.
template <typename T>
__device__ void __sum(float &d, float c, const unsigned int *a, const unsigned int *b)
{
    const int kind = __element<T>::kind;
    unsigned int sum = __float_as_uint(c);
    if (kind == 2) {
        sum = __sum_of_products(kind, sum, a[0], a[1], a[2], a[3], 0, 0, 0, 0, b[0], b[1], b[2],
                                b[3], 0, 0, 0, 0);
        sum = __sum_of_products(kind, sum, a[4], a[5], a[6], a[7], 0, 0, 0, 0, b[4], b[5], b[6],
                                b[7], 0, 0, 0, 0);
    } else {
        sum = __sum_of_products(kind, sum, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], b[0],
                                b[1], b[2], b[3], b[4], b[5], b[6], b[7]);
    }
    d = __uint_as_float(sum);
}
template <typename T>
__device__ void __sum(half &d, half c, const unsigned int *a, const unsigned int *b)
{
    d = __ushort_as_half((unsigned short)__sum_of_products(
        3, __half_as_ushort(c), a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], b[0], b[1], b[2],
        b[3], b[4], b[5], b[6], b[7]));
}
template <typename T>
__device__ void __sum(half &d, float c, const unsigned int *a, const unsigned int *b)
{
    float sum;
    __sum<T>(sum, c, a, b);
    d = __float2half(sum);
}
template <typename T>
__device__ void __sum(float &d, half c, const unsigned int *a, const unsigned int *b)
{ __sum<T>(d, __half2float(c), a, b); }

// Each lane gets its row of A once, and for each of its sums the column of B.
template <int M, int N, int K, typename T, typename D, typename C, typename LA, typename LB>
__device__ void __multiply(fragment<accumulator, M, N, K, D> &d,
                           const fragment<matrix_a, M, N, K, T, LA> &a,
                           const fragment<matrix_b, M, N, K, T, LB> &b,
                           const fragment<accumulator, M, N, K, C> &c, __at_once)
{
    const int words = 8, parts = words * M / 32, others = words * N / 32, sums = M * N / 32;
    const unsigned int row = __lane() % M;
    unsigned int left[words], column[others], right[words];
#pragma unroll
    for (int w = 0; w < words; ++w)
        left[w] = __shfl_sync(0xffffffffu, __element<T>::word(a.x, w % parts), row + w / parts * M);
#pragma unroll
    for (int w = 0; w < others; ++w)
        column[w] = __element<T>::word(b.x, w);
#pragma unroll
    for (int j = 0; j < sums; ++j) {
        const unsigned int from = __lane() / M * sums + j;
#pragma unroll
        for (int w = 0; w < words; ++w)
            right[w] = __shfl_sync(0xffffffffu, column[w % others], from + w / others * N);
        __sum<T>(d.x[j], c.x[j], left, right);
    }
}
__device__ double __added(double sum, double x, double y) { return fma(x, y, sum); }
__device__ int __added(int sum, int x, int y) { return sum + x * y; }
template <int M, int N, int K, typename T, typename S, typename LA, typename LB>
__device__ void __multiply(fragment<accumulator, M, N, K, S> &d,
                           const fragment<matrix_a, M, N, K, T, LA> &a,
                           const fragment<matrix_b, M, N, K, T, LB> &b,
                           const fragment<accumulator, M, N, K, S> &c, __one_by_one)
{
    const int parts = M * K / 32, others = K * N / 32, sums = M * N / 32;
    const unsigned int row = __lane() % M;
    S factor[K];
#pragma unroll
    for (int k = 0; k < K; ++k)
        factor[k] = __shfl_sync(0xffffffffu, (S)a.x[k % parts], row + k / parts * M);
#pragma unroll
    for (int j = 0; j < sums; ++j) {
        const unsigned int from = __lane() / M * sums + j;
        S sum = c.x[j];
#pragma unroll
        for (int k = 0; k < K; ++k) {
            const S right = __shfl_sync(0xffffffffu, (S)b.x[k % others], from + k / others * N);
            sum = __added(sum, factor[k], right);
        }
        d.x[j] = sum;
    }
}
template <int M, int N, int K, typename T, typename D, typename C, typename LA, typename LB>
__device__ void mma_sync(fragment<accumulator, M, N, K, D> &d,
                         const fragment<matrix_a, M, N, K, T, LA> &a,
                         const fragment<matrix_b, M, N, K, T, LB> &b,
                         const fragment<accumulator, M, N, K, C> &c, bool satf = false)
{ __multiply(d, a, b, c, typename __element<T>::way()); }

}
}
