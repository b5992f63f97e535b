// Functions of one name for several types: the one that is meant gives its own result.
//@ buffer out u32 20 zero
//@ run overloads <<<1, 1>>> (out)
//@ expect out 127 8388991 127 8388991 127 8388991 8388991 127 16256 0 4 1056964608 4 23937 23936 56705 1 4294967295 0 1
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void overloads(unsigned int *out)
{
    // 2 and -1 or 65535, by -1 and -128 or 255 and 128, and 1.
    const volatile int a = (int)0xffff0002, low = 0x000080ff, high = (int)0x80ff0000;
    const unsigned int ua = a, ulow = low, uhigh = high;
    out[0] = __dp2a_lo((int)a, (int)low, 1);
    out[1] = __dp2a_lo(ua, ulow, 1u);
    out[2] = __dp2a_hi((int)a, (int)high, 1);
    out[3] = __dp2a_hi(ua, uhigh, 1u);
    out[4] = __dp2a_lo(make_short2(2, -1), make_char4(-1, -128, 9, 9), 1);
    out[5] = __dp2a_hi(make_ushort2(2, 65535), make_uchar4(9, 9, 255, 128), 1u);
    asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(out[6]) : "r"(ua), "r"(ulow), "r"(1));
    asm("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(out[7]) : "r"(a), "r"(high), "r"(1));
    const __nv_bfloat16 b(0.75f), half(0.5f), one(-1.0f);
    out[8] = __bfloat16_as_ushort(__hadd_sat(b, half));
    out[9] = __bfloat16_as_ushort(__hfma_relu(one, b, half));
    out[10] = sizeof(rcbrt(8.0f));
    out[11] = __float_as_uint(rcbrt(8.0f));
    out[12] = sizeof(j0(1.0f));
    // 2^60 + 2^52 is in the middle of two of bfloat16.
    const volatile long long middle = (1ll << 60) + (1ll << 52);
    out[13] = __bfloat16_as_ushort(__nv_bfloat16(middle + 1));
    out[14] = __bfloat16_as_ushort(__nv_bfloat16((unsigned long long)middle));
    out[15] = __bfloat16_as_ushort(__nv_bfloat16(-middle - 1));
    const __half large = __float2half(1e9f);
    out[16] = __hisinf(large);
    out[17] = __hisinf(-large);
    out[18] = __hisinf(__float2half(6e4f));
    out[19] = __hisinf(__nv_bfloat16(1e39));
}
