// Every shape of `mma.sync` that published kernels use, with `ldmatrix`, `movmatrix`, shuffles and
// votes in PTX, each against a plain product. On a card `main` prints what is wrong: nothing.
//@ buffer wrong i32 16 zero
//@ run halves <<<1, 32>>> (wrong)
//@ run bytes <<<1, 32>>> (wrong)
//@ run others <<<1, 32>>> (wrong)
//@ run moves <<<1, 32>>> (wrong)
//@ expect wrong 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>
#include <stdio.h>

// Small whole numbers: all sums are exact in all types.
__device__ int a_at(int row, int k) { return (row * 5 + k * 3) % 7 - 3; }
__device__ int b_at(int k, int column) { return (k * 2 + column * 3) % 5 - 2; }
__device__ int c_at(int row, int column) { return row - 2 * column; }
__device__ int product(int row, int column, int depth)
{
    int sum = c_at(row, column);
    for (int k = 0; k < depth; ++k)
        sum += a_at(row, k) * b_at(k, column);
    return sum;
}
__device__ uint32_t half_bits(int v) { return __half_as_ushort(__float2half((float)v)); }
__device__ uint32_t bf16_bits(int v) { return __bfloat16_as_ushort(__float2bfloat16((float)v)); }
__device__ float half_of(uint32_t bits)
{ return __half2float(__ushort_as_half((unsigned short)bits)); }

struct Lane {
    int row, part;
    __device__ Lane() : row(threadIdx.x / 4), part(threadIdx.x % 4) {}
    // A register with `n` elements from (row, k) on, of `bits` each.
    template <typename F> __device__ uint32_t a(F of, int n, int down, int k) const
    {
        uint32_t r = 0;
        for (int e = 0; e < n; ++e)
            r |= (of(a_at(row + down, k + n * part + e)) & (0xffffffffu >> (32 - 32 / n)))
                 << (32 / n * e);
        return r;
    }
    template <typename F> __device__ uint32_t b(F of, int n, int k) const
    {
        uint32_t r = 0;
        for (int e = 0; e < n; ++e)
            r |= (of(b_at(k + n * part + e, row)) & (0xffffffffu >> (32 - 32 / n))) << (32 / n * e);
        return r;
    }
    template <typename T>
    __device__ void check(const T *d, int depth, int *wrong, int rows = 16) const
    {
        for (int i = 0; i < rows / 4; ++i)
            if ((float)d[i] != (float)product(row + i / 2 * 8, 2 * part + i % 2, depth))
                atomicAdd(wrong, 1);
    }
    __device__ int c(int i) const { return c_at(row + i / 2 * 8, 2 * part + i % 2); }
};

__global__ void halves(int *wrong)
{
    Lane l;
    auto h = [](int v) { return half_bits(v); };
    auto f = [](int v) { return bf16_bits(v); };
    float d[4] = {(float)l.c(0), (float)l.c(1), (float)l.c(2), (float)l.c(3)};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, "
                 "%7}, {%8, %9}, "
                 "{%0, %1, %2, %3};\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(l.a(h, 2, 0, 0)), "r"(l.a(h, 2, 8, 0)), "r"(l.a(h, 2, 0, 8)),
                   "r"(l.a(h, 2, 8, 8)), "r"(l.b(h, 2, 0)), "r"(l.b(h, 2, 8)));
    l.check(d, 16, wrong);
    float e[4];
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, "
                 "{%10,%11,%12,%13};\n"
                 : "=f"(e[0]), "=f"(e[1]), "=f"(e[2]), "=f"(e[3])
                 : "r"(l.a(f, 2, 0, 0)), "r"(l.a(f, 2, 8, 0)), "r"(l.a(f, 2, 0, 8)),
                   "r"(l.a(f, 2, 8, 8)), "r"(l.b(f, 2, 0)), "r"(l.b(f, 2, 8)), "f"((float)l.c(0)),
                   "f"((float)l.c(1)), "f"((float)l.c(2)), "f"((float)l.c(3)));
    l.check(e, 16, wrong + 1);
    float s[4] = {(float)l.c(0), (float)l.c(1), (float)l.c(2), (float)l.c(3)};
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, "
                 "{%6}, {%0, %1, %2, %3};"
                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
                 : "r"(l.a(h, 2, 0, 0)), "r"(l.a(h, 2, 8, 0)), "r"(l.b(h, 2, 0)));
    l.check(s, 8, wrong + 2);
    uint32_t p[2] = {half_bits(l.c(0)) | half_bits(l.c(1)) << 16,
                     half_bits(l.c(2)) | half_bits(l.c(3)) << 16};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, "
                 "{%6, %7}, {%0, %1};"
                 : "+r"(p[0]), "+r"(p[1])
                 : "r"(l.a(h, 2, 0, 0)), "r"(l.a(h, 2, 8, 0)), "r"(l.a(h, 2, 0, 8)),
                   "r"(l.a(h, 2, 8, 8)), "r"(l.b(h, 2, 0)), "r"(l.b(h, 2, 8)));
    float q[4] = {half_of(p[0]), half_of(p[0] >> 16), half_of(p[1]), half_of(p[1] >> 16)};
    l.check(q, 16, wrong + 3);
}

__global__ void bytes(int *wrong)
{
    Lane l;
    auto s8 = [](int v) { return (uint32_t)v; };
    int d[4] = {l.c(0), l.c(1), l.c(2), l.c(3)};
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, "
                 "%7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(l.a(s8, 4, 0, 0)), "r"(l.a(s8, 4, 8, 0)), "r"(l.a(s8, 4, 0, 16)),
                   "r"(l.a(s8, 4, 8, 16)), "r"(l.b(s8, 4, 0)), "r"(l.b(s8, 4, 16)));
    l.check(d, 32, wrong + 4);
    int e[4] = {l.c(0), l.c(1), l.c(2), l.c(3)};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, "
                 "{%6}, {%0, %1, %2, %3};"
                 : "+r"(e[0]), "+r"(e[1]), "+r"(e[2]), "+r"(e[3])
                 : "r"(l.a(s8, 4, 0, 0)), "r"(l.a(s8, 4, 8, 0)), "r"(l.b(s8, 4, 0)));
    l.check(e, 16, wrong + 5);
    int s[2] = {l.c(0), l.c(1)};
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+r"(s[0]), "+r"(s[1])
                 : "r"(l.a(s8, 4, 0, 0)), "r"(l.b(s8, 4, 0)));
    l.check(s, 16, wrong + 6, 8);
    // Sums that would go beyond an int stop at its end.
    int f[4] = {0x7fffffff, -0x7fffffff - 1, 0x7fffffff, -0x7fffffff - 1};
    const int begin[4] = {f[0], f[1], f[2], f[3]};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32 {%0, %1, %2, %3}, "
                 "{%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+r"(f[0]), "+r"(f[1]), "+r"(f[2]), "+r"(f[3])
                 : "r"(l.a(s8, 4, 0, 0)), "r"(l.a(s8, 4, 8, 0)), "r"(l.b(s8, 4, 0)));
    for (int i = 0; i < 4; ++i) {
        const int row = l.row + i / 2 * 8, column = 2 * l.part + i % 2;
        const long long sum = (long long)begin[i] + product(row, column, 16) - c_at(row, column);
        if (f[i] != min(max(sum, -0x80000000ll), 0x7fffffffll))
            atomicAdd(wrong + 9, 1);
    }
}

__global__ void others(int *wrong)
{
    Lane l;
    auto tf = [](int v) { return __float_as_uint((float)v); };
    float d[4] = {(float)l.c(0), (float)l.c(1), (float)l.c(2), (float)l.c(3)};
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, "
                 "%6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(tf(a_at(l.row, l.part))), "r"(tf(a_at(l.row + 8, l.part))),
                   "r"(tf(a_at(l.row, l.part + 4))), "r"(tf(a_at(l.row + 8, l.part + 4))),
                   "r"(tf(b_at(l.part, l.row))), "r"(tf(b_at(l.part + 4, l.row))));
    l.check(d, 8, wrong + 7);
    double e[2] = {(double)l.c(0), (double)l.c(1)};
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(e[0]), "+d"(e[1])
                 : "d"((double)a_at(l.row, l.part)), "d"((double)b_at(l.part, l.row)));
    l.check(e, 4, wrong + 8, 8);
}

__global__ void moves(int *wrong)
{
    __shared__ __align__(16) unsigned short tiles[4][8][8];
    Lane l;
    for (int i = threadIdx.x; i < 256; i += 32)
        tiles[i / 64][i / 8 % 8][i % 8] = (unsigned short)i;
    __syncthreads();
    uint32_t r[4], t[2], moved, sum = threadIdx.x, ballot, pair;
    uint32_t row = (uint32_t)__cvta_generic_to_shared(&tiles[threadIdx.x / 8][threadIdx.x % 8][0]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(t[0]), "=r"(t[1])
                 : "r"(row));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(moved) : "r"(r[1]));
    for (int k = 0; k < 4; ++k) {
        uint32_t first = 64 * k + 8 * l.row + 2 * l.part;
        if (r[k] != (first | (first + 1) << 16))
            atomicAdd(wrong + 9, 1);
    }
    for (int k = 0; k < 2; ++k) {
        uint32_t first = 64 * k + 8 * (2 * l.part) + l.row;
        if (t[k] != (first | (first + 8) << 16))
            atomicAdd(wrong + 10, 1);
    }
    if (moved != t[1])
        atomicAdd(wrong + 11, 1);
    for (int step = 16; step > 0; step /= 2) {
        uint32_t other;
        asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;"
                     : "=r"(other)
                     : "r"(sum), "r"(step));
        sum += other;
    }
    float down = (float)threadIdx.x;
    asm volatile("shfl.sync.down.b32 %0, %1, 4, 0x181f, 0xffffffff;"
                 : "=f"(down)
                 : "f"((float)threadIdx.x));
    if (sum != 496 || down != (float)(threadIdx.x % 8 < 4 ? threadIdx.x + 4 : threadIdx.x))
        atomicAdd(wrong + 12, 1);
    asm volatile(
        "{\n .reg .pred p;\n setp.ne.u32 p, %1, 0;\n vote.sync.ballot.b32 %0, p, 0xffffffff;\n}"
        : "=r"(ballot)
        : "r"(threadIdx.x % 2));
    if (ballot != 0xaaaaaaaau)
        atomicAdd(wrong + 13, 1);
    asm("fma.rn.f16x2 %0, %1, %2, %3;\n"
        : "=r"(pair)
        : "r"(half_bits(3) | half_bits(4) << 16), "r"(half_bits(2) | half_bits(-1) << 16),
          "r"(half_bits(1)));
    if (half_of(pair) != 7.0f || half_of(pair >> 16) != -4.0f)
        atomicAdd(wrong + 14, 1);
    unsigned short one;
    asm("add.f16 %0, %1, %2;"
        : "=h"(one)
        : "h"((unsigned short)half_bits(1)), "h"((unsigned short)half_bits(2)));
    int dot;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(dot) : "r"(0x01ff0203), "r"(0x02020202), "r"(5));
    if (half_of(one) != 3.0f || dot != 15)
        atomicAdd(wrong + 15, 1);
}

int main()
{
    int *wrong, host[16], sum = 0;
    cudaMalloc(&wrong, sizeof host);
    cudaMemset(wrong, 0, sizeof host);
    halves<<<1, 32>>>(wrong);
    bytes<<<1, 32>>>(wrong);
    others<<<1, 32>>>(wrong);
    moves<<<1, 32>>>(wrong);
    cudaMemcpy(host, wrong, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 16; ++i) {
        printf("part %d: %d wrong\n", i, host[i]);
        sum += host[i];
    }
    return sum != 0 || cudaDeviceSynchronize() != cudaSuccess;
}
