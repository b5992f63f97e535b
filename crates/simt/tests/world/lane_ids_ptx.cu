// Helpers in inline assembly, as in micro-benchmarks.
//@ buffer out i32 32 zero
//@ run ids <<<1, 32>>> (out)
//@ expect out 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
#include <stdio.h>
#define REPEAT 4
static __device__ __inline__ unsigned int __mylaneid()
{
    unsigned int laneid;
    asm volatile("mov.u32 %0, %laneid;" : "=r"(laneid));
    return laneid;
}
static __device__ __inline__ unsigned int bfe(unsigned int x, unsigned int bit,
                                              unsigned int numBits)
{
    unsigned int ret;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(ret) : "r"(x), "r"(bit), "r"(numBits));
    return ret;
}
__global__ void ids(int *out)
{
    long long start = clock64();
    unsigned v = 0;
#pragma unroll
    for (int i = 0; i < REPEAT; i++) v = bfe(__mylaneid() << i, i, 5);
    asm volatile("" ::: "memory");
    out[threadIdx.x] = v + (clock64() < start);
}
int main()
{
    cudaEvent_t e;
    cudaEventCreate(&e);
    float ms;
    cudaEventElapsedTime(&ms, e, e);
    ids<<<1, 32>>>(0);
}
