// What one core can do, to compare a kernel's time per point with: sums and products of floats, and
// loads by vectors of 64 bytes, from memory of some sizes. Needs a processor with AVX-512.
//
//     cc -O3 -funroll-loops rtm/benches/peers/rates.c -o target/rates && target/rates
#include <immintrin.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// Processor time, not the clock's: the machine may be shared.
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

__attribute__((target("avx512f"))) static void arithmetic(void)
{
    enum { CHAINS = 8, TURNS = 50000000 };
    __m512 sum[CHAINS], product[CHAINS];
    const __m512 little = _mm512_set1_ps(1e-9f), nearly_one = _mm512_set1_ps(0.999999f);
    for (int i = 0; i < CHAINS; i++) sum[i] = product[i] = _mm512_set1_ps(i);
    const double start = now();
    for (int k = 0; k < TURNS; k++)
        for (int i = 0; i < CHAINS; i++) {
            sum[i] = _mm512_add_ps(sum[i], little);
            product[i] = _mm512_mul_ps(product[i], nearly_one);
            __asm__ volatile("" ::"v"(sum[i]), "v"(product[i]));
        }
    printf("sums and products: %.0f GFLOP/s\n", 2.0 * 16 * CHAINS * TURNS / (now() - start) / 1e9);
}

static char memory[48 << 20] __attribute__((aligned(4096)));

__attribute__((target("avx512f"))) static void loads(int size, int offset)
{
    const int turns = (int)(12800000000.0 / size);
    const double start = now();
    for (int k = 0; k < turns; k++)
        for (int i = 0; i < size; i += 256)
            for (int j = 0; j < 256; j += 64) {
                __m512 v = _mm512_loadu_ps(memory + i + j + offset);
                __asm__ volatile("" ::"v"(v));
            }
    printf("loads, %d KiB, %d bytes off a line: %.0f GB/s\n", size >> 10, offset,
           (double)turns * size / (now() - start) / 1e9);
}

int main(void)
{
    // Pages that nobody has written are all the same one.
    memset(memory, 1, sizeof memory);
    arithmetic();
    loads(16 << 10, 0);
    loads(16 << 10, 4);
    loads(256 << 10, 0);
    loads(700 << 10, 0);
    loads(20 << 20, 0);
    return 0;
}
