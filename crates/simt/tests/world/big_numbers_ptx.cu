// Fibonacci numbers of 128 bits, one a thread, with the carry chains of PTX as cryptographic code
// has them.
//@ buffer fib u32 16 zero
//@ run fibonacci <<<1, 4>>> (fib)
//@ expect fib 89 0 0 0 2425370821 302395254 31 0 2214125593 2301369923 557 0 2293896565 3977203199 3221441 0
#include <cstdint>
#include <cstdio>

struct alignas(16) u128 {
    uint32_t w[4];
};

static __device__ __forceinline__ u128 add(const u128 &a, const u128 &b)
{
    u128 r;
    asm volatile("add.cc.u32   %0, %4, %8;\n\t"
                 "addc.cc.u32  %1, %5, %9;\n\t"
                 "addc.cc.u32  %2, %6, %10;\n\t"
                 "addc.u32     %3, %7, %11;\n\t"
                 : "=r"(r.w[0]), "=r"(r.w[1]), "=r"(r.w[2]), "=r"(r.w[3])
                 : "r"(a.w[0]), "r"(a.w[1]), "r"(a.w[2]), "r"(a.w[3]), "r"(b.w[0]), "r"(b.w[1]),
                   "r"(b.w[2]), "r"(b.w[3]));
    return r;
}

__global__ void fibonacci(u128 *fib)
{
    const int steps[4] = {11, 101, 107, 125};
    u128 a = {{0, 0, 0, 0}}, b = {{1, 0, 0, 0}};
    for (int i = 0; i < steps[threadIdx.x]; ++i) {
        u128 c = add(a, b);
        a = b;
        b = c;
    }
    fib[threadIdx.x] = a;
}

int main(void)
{
    u128 *fib, host[4];
    cudaMalloc(&fib, sizeof host);
    fibonacci<<<1, 4>>>(fib);
    cudaMemcpy(host, fib, sizeof host, cudaMemcpyDeviceToHost);
    for (const u128 &f : host) printf("%08x%08x%08x%08x\n", f.w[3], f.w[2], f.w[1], f.w[0]);
    return 0;
}
