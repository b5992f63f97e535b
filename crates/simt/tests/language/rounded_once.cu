// Halves and bfloat16 are rounded once, however little lies beyond the middle of two of them: from
// double, from int, and sums with a product. The numbers here lose what decides if they go by way
// of float, or by way of a double that is not exact.
//@ buffer out u16 20 zero
//@ run once <<<1, 1>>> (out)
//@ expect out 15361 15360 48129 31743 1 16257 16256 49025 32640 16257 19841 19840 19841 16257 16256 16258 16257 18433 18432 6
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void once(unsigned short *out)
{
    // Beyond the middle of 1 and the next half, or before it, by the last bit of a double.
    const volatile double beyond = 1.0 + 0x1p-11 + 0x1p-52, before = 1.0 + 0x1p-11 - 0x1p-52;
    out[0] = __half_as_ushort(__double2half(beyond));
    out[1] = __half_as_ushort((half)before);
    out[2] = __half_as_ushort(__double2half(-beyond));
    const volatile double last = 65519.999999999993, small = 0x1p-25 + 0x1p-77;
    out[3] = __half_as_ushort(__double2half(last));
    out[4] = __half_as_ushort(__double2half(small));
    const volatile double b_beyond = 1.0 + 0x1p-8 + 0x1p-52, b_before = 1.0 + 0x1p-8 - 0x1p-52;
    out[5] = __bfloat16_as_ushort(__double2bfloat16(b_beyond));
    out[6] = __bfloat16_as_ushort(__nv_bfloat16(b_before));
    out[7] = __bfloat16_as_ushort(__double2bfloat16(-b_beyond));
    const volatile double large = 3.4e38 * 1.01;
    out[8] = __bfloat16_as_ushort(__double2bfloat16(large));
    out[9] = __bfloat16_as_ushort(__double2bfloat16(1.0 + 0x1p-8 + 0x1p-40));
    // 2^28 + 2^20 is such a middle, and an int.
    const volatile int middle = (1 << 28) + (1 << 20);
    out[10] = __bfloat16_as_ushort(__int2bfloat16_rn(middle + 1));
    out[11] = __bfloat16_as_ushort(__int2bfloat16_rn(middle - 1));
    out[12] = __bfloat16_as_ushort(__uint2bfloat16_rn(middle + 1u));
    // (1 + 2^-4) (1 + 2^-4) = 1 + 2^-3 + 2^-8: a middle, and something tiny.
    const __nv_bfloat16 factor(1.0f + 0x1p-4f), up(0x1p-70f), down(-0x1p-70f);
    const unsigned short plus = __bfloat16_as_ushort(__hfma(factor, factor, up));
    const unsigned short minus = __bfloat16_as_ushort(__hfma(factor, factor, down));
    out[13] = plus - 16;
    out[14] = minus - 16;
    unsigned short ptx;
    asm("fma.rn.bf16 %0, %1, %1, %2;"
        : "=h"(ptx)
        : "h"(__bfloat16_as_ushort(factor)), "h"(__bfloat16_as_ushort(up)));
    out[15] = ptx - 15;
    asm("fma.rn.bf16 %0, %1, %1, %2;"
        : "=h"(ptx)
        : "h"(__bfloat16_as_ushort(factor)), "h"(__bfloat16_as_ushort(down)));
    out[16] = ptx - 15;
    // `__hadd` of halves, not the mean of whole numbers of that name. 8 + 2^-8 is a middle.
    const half eight = __float2half(8.0f), middle_of_eight = __float2half(0x1p-8f);
    out[17] = __half_as_ushort(__hadd(eight, __hadd(middle_of_eight, __float2half(0x1p-18f))));
    out[18] = __half_as_ushort(__hfma(eight, __float2half(1.0f), middle_of_eight));
    out[19] = (unsigned short)__hadd(7, 10) + (unsigned short)__hadd(-3, 0);
}
