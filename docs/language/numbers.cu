// Arithmetic in all widths, functions of the C library, printf and assert.
#include <math.h>
#include <stdio.h>
#include <stdint.h>

extern "C" __global__ void numbers(double *out, int64_t n)
{
    int i = threadIdx.x;
    assert(n > 0);
    double x = (double)i / n;
    float f = __fdividef(sinf((float)x), 3.0f);
    uint8_t wrapped = (uint8_t)(i * 100);
    out[i] = sqrt(fma(x, x, 1.0)) + fmaxf(f, 0.0f) + __clz(i) + wrapped;
    if (i == 0)
        printf("n = %lld, out[0] = %.3f\n", (long long)n, out[0]);
}
