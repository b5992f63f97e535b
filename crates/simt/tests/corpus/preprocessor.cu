// Macros with arguments, pasting and text, conditionals, line splices, variadic macros, include
// guards of the usual headers.
//
//@ buffer y i32 32 empty
//@ run macros <<<1, 32>>> (y)
//@ prints kernel macros has 3 steps
//@ prints size + 1 = 5
//@ check y exact

#include <cuda_runtime.h>
#include <stdio.h>
#include <math.h>

#ifndef STEPS
#define STEPS 3
#endif
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CONCAT(a, b) a##b
#define TEXT(x) #x
#define SUM(...) sum_of(__VA_ARGS__)
#define LONG_MACRO(i) \
    do {              \
        value += (i); \
        value *= 2;   \
    } while (0)
#if STEPS >= 3 && defined(STEPS) && !defined(NOT_THERE)
#define OFFSET 40
#elif STEPS == 2
#define OFFSET 20
#else
#error "STEPS must be at least 2"
#endif
#define TABLE(ENTRY) ENTRY(first, 1) ENTRY(second, 20) ENTRY(third, 300)
#define AS_CASE(name, number) case name: return number;
#define AS_NAME(name, number) name,

enum { TABLE(AS_NAME) entries };

__device__ int lookup(int which)
{
    switch (which) {
        TABLE(AS_CASE)
    }
    return -entries;
}

__device__ int sum_of(int a, int b, int c) { return a + b + c; }
__host__ __device__ inline int CONCAT(add, _one)(int v) { return v + 1; }

#ifdef __CUDA_ARCH__
#define ON_DEVICE 1
#else
#define ON_DEVICE 0
#endif

extern "C" __global__ void macros(int *y)
{
    int value = threadIdx.x;
    LONG_MACRO(MAX(value, 10));
    if (threadIdx.x == 0) {
        printf("kernel %s has %d steps\n", TEXT(macros), STEPS);
        const int size = 4;
        printf(TEXT(size + 1) " = %d\n", size + 1);
    }
#undef STEPS
#define STEPS 5
    y[threadIdx.x] = value + OFFSET + add_one(SUM(1, 2, STEPS)) + lookup(threadIdx.x % 4) + 1'000 +
                     0x10 + 0b101 + 010 + 'A' + ON_DEVICE; // a comment with a splice \
                     value = 0;
}
