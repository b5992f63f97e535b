// Matrices of a warp: sums of products in float, double or int, rounded once at the end for half.
// A lane holds parts of one row of A and of the accumulator, and of one column of B; a card's
// layout is its own secret.
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

// What a matrix of T is made of, what it is summed in, and the value that a product takes of it.
template <typename T> struct __element {
    typedef T type;
    typedef float sum;
    static __device__ float factor(T v) { return (float)v; }
};
template <> struct __element<precision::tf32> {
    typedef float type;
    typedef float sum;
    static __device__ float factor(float v)
    { return __uint_as_float(__float_as_uint(v) & 0xffffe000u); }
};
template <> struct __element<double> {
    typedef double type;
    typedef double sum;
    static __device__ double factor(double v) { return v; }
};
template <> struct __element<signed char> {
    typedef signed char type;
    typedef int sum;
    static __device__ int factor(signed char v) { return v; }
};
template <> struct __element<unsigned char> {
    typedef unsigned char type;
    typedef int sum;
    static __device__ int factor(unsigned char v) { return v; }
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

// Each lane gets its row of A once, and for each of its sums the column of B.
template <int M, int N, int K, typename T, typename D, typename C, typename LA, typename LB>
__device__ void mma_sync(fragment<accumulator, M, N, K, D> &d,
                         const fragment<matrix_a, M, N, K, T, LA> &a,
                         const fragment<matrix_b, M, N, K, T, LB> &b,
                         const fragment<accumulator, M, N, K, C> &c, bool satf = false)
{
    typedef typename __element<T>::sum S;
    const int parts = M * K / 32, others = K * N / 32, sums = M * N / 32;
    unsigned int row = __lane() % M;
    S factor[K], column[others], sum[sums];
#pragma unroll
    for (int k = 0; k < K; ++k)
        factor[k] =
            __shfl_sync(0xffffffffu, __element<T>::factor(a.x[k % parts]), row + k / parts * M);
#pragma unroll
    for (int k = 0; k < others; ++k)
        column[k] = __element<T>::factor(b.x[k]);
#pragma unroll
    for (int j = 0; j < sums; ++j) {
        unsigned int from = __lane() / M * sums + j;
        sum[j] = (S)c.x[j];
#pragma unroll
        for (int k = 0; k < K; ++k)
            sum[j] +=
                factor[k] * __shfl_sync(0xffffffffu, column[k % others], from + k / others * N);
    }
#pragma unroll
    for (int j = 0; j < sums; ++j)
        d.x[j] = (D)sum[j];
}

}
}
