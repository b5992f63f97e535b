// Sums of products as the tensor cores of an H200 round them: numbers of many sizes, by PTX and by
// `wmma`. What an H200 gives is expected.
//@ buffer out u32 26 zero
//@ run sums <<<1, 32>>> (out)
//@ expect out 3256814725 3297073632 3196850904 3274697591 3256828076 3297099825 3197420424 3274726307 3239139066 3282333284 3228805407 3223893916 3826306914 3648568991 1120255161 3271251188 1125243110 3261502627 1120306401 3271242826 1125222841 3261472256 1119026213 1118704193 3253087802 3229470229
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <type_traits>
using namespace nvcuda;

// Numbers of about 2^-5 to 2^5 that look like chance.
__device__ float number(unsigned int n)
{
    n = n * 747796405u + 2891336453u;
    n = (n >> (n >> 28) + 4 ^ n) * 277803737u;
    n ^= n >> 22;
    return ldexpf((float)(n & 0xffffff) / 8388608.0f - 1.0f, (int)(n >> 24) % 11 - 5);
}
__device__ unsigned int halves(unsigned int n)
{
    return __half_as_ushort(__float2half(number(2 * n))) |
           (unsigned int)__half_as_ushort(__float2half(number(2 * n + 1))) << 16;
}
__device__ unsigned int bfloats(unsigned int n)
{
    return __bfloat16_as_ushort(__float2bfloat16(number(2 * n))) |
           (unsigned int)__bfloat16_as_ushort(__float2bfloat16(number(2 * n + 1))) << 16;
}

__device__ unsigned int floats(unsigned int n) { return __float_as_uint(number(n)); }

template <typename T, int K>
__device__ void by_wmma(unsigned int *out, T *a, T *b, float *c)
{
    const int lane = threadIdx.x;
    for (int i = lane; i < 16 * K; i += 32) {
        a[i] = (T)number(1000 + i);
        b[i] = (T)number(2000 + i);
    }
    for (int i = lane; i < 256; i += 32)
        c[i] = number(3000 + i);
    __syncwarp();
    using Factor = typename std::conditional<K == 8, wmma::precision::tf32, T>::type;
    wmma::fragment<wmma::matrix_a, 16, 16, K, Factor, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, K, Factor, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, K, float> sum;
    wmma::load_matrix_sync(fa, a, K);
    wmma::load_matrix_sync(fb, b, K);
    wmma::load_matrix_sync(sum, c, 16, wmma::mem_row_major);
    for (int times = 0; times < 3; times++)
        wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
    __syncwarp();
    if (lane < 4)
        out[lane] = __float_as_uint(c[lane * 77]);
    __syncwarp();
}

extern "C" __global__ void sums(unsigned int *out)
{
    __shared__ float a[16 * 16], b[16 * 16], c[256];
    const int lane = threadIdx.x;
    unsigned int l[4], r[2];
    float s[4];
#define START(of)                                                                                  \
    for (int k = 0; k < 4; k++) {                                                                  \
        l[k] = of(lane * 4 + k);                                                                   \
        r[k % 2] = of(500 + lane * 2 + k % 2);                                                     \
        s[k] = number(800 + lane * 4 + k);                                                         \
    }
#define LARGE(types)                                                                               \
    for (int times = 0; times < 3; times++)                                                        \
        asm volatile("mma.sync.aligned." types                                                     \
                     " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"            \
                     : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])                              \
                     : "r"(l[0]), "r"(l[1]), "r"(l[2]), "r"(l[3]), "r"(r[0]), "r"(r[1]));
#define SHOW(at)                                                                                   \
    if (lane == 13)                                                                                \
        for (int k = 0; k < 4; k++)                                                                \
            out[at + k] = __float_as_uint(s[k]);
    START(halves)
    LARGE("m16n8k16.row.col.f32.f16.f16.f32")
    SHOW(0)
    START(bfloats)
    LARGE("m16n8k16.row.col.f32.bf16.bf16.f32")
    SHOW(4)
    START(floats)
    LARGE("m16n8k8.row.col.f32.tf32.tf32.f32")
    SHOW(8)
    START(halves)
    unsigned int h[2] = {halves(900 + lane), halves(950 + lane)};
    for (int times = 0; times < 3; times++)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5},"
                     " {%6, %7}, {%0, %1};"
                     : "+r"(h[0]), "+r"(h[1])
                     : "r"(l[0]), "r"(l[1]), "r"(l[2]), "r"(l[3]), "r"(r[0]), "r"(r[1]));
    if (lane == 13) {
        out[12] = h[0];
        out[13] = h[1];
    }
    by_wmma<half, 16>(out + 14, (half *)a, (half *)b, c);
    by_wmma<__nv_bfloat16, 16>(out + 18, (__nv_bfloat16 *)a, (__nv_bfloat16 *)b, c);
    by_wmma<float, 8>(out + 22, a, b, c);
}
