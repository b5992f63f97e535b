// Functions on the bytes or halves of a word, one after the other.
#pragma once

// `low` bits of each part, `n` parts; the parts are taken as signed or unsigned numbers.
#define __SIMD(name, bits, type, result)                                                           \
    __device__ unsigned int name(unsigned int a, unsigned int b)                                   \
    {                                                                                              \
        unsigned int out = 0;                                                                      \
        for (int k = 0; k < 32; k += bits) {                                                       \
            int x = (type)(a >> k), y = (type)(b >> k);                                            \
            out |= ((unsigned int)(result) & (0xffffffffu >> (32 - bits))) << k;                   \
        }                                                                                          \
        return out;                                                                                \
    }
#define __SIMD_BOTH(name, result)                                                                  \
    __SIMD(name##4, 8, signed char, result)                                                        \
    __SIMD(name##2, 16, short, result)
#define __SIMD_SIGNS(name, result)                                                                 \
    __SIMD(name##s4, 8, signed char, result)                                                       \
    __SIMD(name##s2, 16, short, result)                                                            \
    __SIMD(name##u4, 8, unsigned char, result)                                                     \
    __SIMD(name##u2, 16, unsigned short, result)
__SIMD_BOTH(__vadd, x + y)
__SIMD_BOTH(__vsub, x - y)
__SIMD_BOTH(__vcmpeq, x == y ? -1 : 0)
__SIMD_BOTH(__vcmpne, x != y ? -1 : 0)
__SIMD_BOTH(__vseteq, x == y)
__SIMD_BOTH(__vsetne, x != y)
__SIMD_SIGNS(__vmin, x < y ? x : y)
__SIMD_SIGNS(__vmax, x > y ? x : y)
__SIMD_SIGNS(__vabsdiff, x > y ? x - y : y - x)
__SIMD_SIGNS(__vcmpgt, x > y ? -1 : 0)
__SIMD_SIGNS(__vcmpge, x >= y ? -1 : 0)
__SIMD_SIGNS(__vcmplt, x < y ? -1 : 0)
__SIMD_SIGNS(__vcmple, x <= y ? -1 : 0)
__SIMD(__vavgu4, 8, unsigned char, (x + y + 1) >> 1)
__SIMD(__vavgu2, 16, unsigned short, (x + y + 1) >> 1)
__SIMD(__vhaddu4, 8, unsigned char, (x + y) >> 1)
__SIMD(__vhaddu2, 16, unsigned short, (x + y) >> 1)
__SIMD(__vaddus4, 8, unsigned char, x + y > 255 ? 255 : x + y)
__SIMD(__vaddus2, 16, unsigned short, x + y > 65535 ? 65535 : x + y)
__SIMD(__vsubus4, 8, unsigned char, x < y ? 0 : x - y)
__SIMD(__vsubus2, 16, unsigned short, x < y ? 0 : x - y)
__SIMD(__vaddss4, 8, signed char, x + y > 127 ? 127 : x + y < -128 ? -128 : x + y)
__SIMD(__vaddss2, 16, short, x + y > 32767 ? 32767 : x + y < -32768 ? -32768 : x + y)
__SIMD(__vsubss4, 8, signed char, x - y > 127 ? 127 : x - y < -128 ? -128 : x - y)
__SIMD(__vsubss2, 16, short, x - y > 32767 ? 32767 : x - y < -32768 ? -32768 : x - y)
#undef __SIMD
#undef __SIMD_BOTH
#undef __SIMD_SIGNS
__device__ unsigned int __vneg4(unsigned int a) { return __vsub4(0, a); }
__device__ unsigned int __vneg2(unsigned int a) { return __vsub2(0, a); }
__device__ unsigned int __vabs4(unsigned int a) { return __vmaxs4(a, __vneg4(a)); }
__device__ unsigned int __vabs2(unsigned int a) { return __vmaxs2(a, __vneg2(a)); }

#define __SIMD_SAD(name, bits, type)                                                               \
    __device__ unsigned int name(unsigned int a, unsigned int b)                                   \
    {                                                                                              \
        unsigned int sum = 0;                                                                      \
        for (int k = 0; k < 32; k += bits) {                                                       \
            int d = (type)(a >> k) - (type)(b >> k);                                               \
            sum += d < 0 ? -d : d;                                                                 \
        }                                                                                          \
        return sum;                                                                                \
    }
__SIMD_SAD(__vsads4, 8, signed char)
__SIMD_SAD(__vsads2, 16, short)
__SIMD_SAD(__vsadu4, 8, unsigned char)
__SIMD_SAD(__vsadu2, 16, unsigned short)
#undef __SIMD_SAD

__device__ int __dp4a(int a, int b, int c)
{
    for (int k = 0; k < 32; k += 8)
        c += (signed char)(a >> k) * (signed char)(b >> k);
    return c;
}
__device__ unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c)
{
    for (int k = 0; k < 32; k += 8)
        c += (unsigned char)(a >> k) * (unsigned char)(b >> k);
    return c;
}
__device__ int __dp4a(char4 a, char4 b, int c)
{ return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__device__ unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c)
{ return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__device__ int __dp2a_lo(int a, int b, int c)
{ return c + (short)a * (signed char)b + (short)(a >> 16) * (signed char)(b >> 8); }
__device__ int __dp2a_hi(int a, int b, int c)
{ return c + (short)a * (signed char)(b >> 16) + (short)(a >> 16) * (signed char)(b >> 24); }
__device__ unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c)
{ return c + (a & 0xffff) * (b & 0xff) + (a >> 16) * (b >> 8 & 0xff); }
__device__ unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c)
{ return c + (a & 0xffff) * (b >> 16 & 0xff) + (a >> 16) * (b >> 24); }
__device__ int __dp2a_lo(short2 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y; }
__device__ int __dp2a_hi(short2 a, char4 b, int c) { return c + a.x * b.z + a.y * b.w; }
__device__ unsigned int __dp2a_lo(ushort2 a, uchar4 b, unsigned int c)
{ return c + (unsigned int)a.x * b.x + (unsigned int)a.y * b.y; }
__device__ unsigned int __dp2a_hi(ushort2 a, uchar4 b, unsigned int c)
{ return c + (unsigned int)a.x * b.z + (unsigned int)a.y * b.w; }
