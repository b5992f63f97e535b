// Built-in functions of GNU C, and hints for the compiler, which change nothing; what cannot be
// reached stops the launch.
#pragma once

#define __builtin_expect(e, v) (e)
#define __builtin_assume(e) ((void)0)
#define __builtin_assume_aligned(p, ...) (p)
#define __builtin_unreachable() __trap()
#define __builtin_prefetch(...) ((void)0)
#define __builtin_constant_p(e) 0
#define __assume(e) ((void)0)
#ifdef __OPENCL_VERSION__
#define __builtin_popcount(v) popcount((uint)(v))
#define __builtin_popcountll(v) popcount((ulong)(v))
#define __builtin_clz(v) clz((uint)(v))
#define __builtin_clzll(v) clz((ulong)(v))
#define __builtin_ctz(v) ctz((uint)(v))
#define __builtin_ctzll(v) ctz((ulong)(v))
#else
#define __builtin_popcount(v) __popc(v)
#define __builtin_popcountl(v) __popcll(v)
#define __builtin_popcountll(v) __popcll(v)
#define __builtin_parity(v) (__popc(v) & 1)
#define __builtin_parityll(v) (__popcll(v) & 1)
#define __builtin_clz(v) __clz(v)
#define __builtin_clzl(v) __clzll(v)
#define __builtin_clzll(v) __clzll(v)
#define __builtin_ctz(v) (__ffs(v) - 1)
#define __builtin_ctzl(v) (__ffsll(v) - 1)
#define __builtin_ctzll(v) (__ffsll(v) - 1)
#define __builtin_ffs(v) __ffs(v)
#define __builtin_ffsll(v) __ffsll(v)
#define __builtin_bswap16(v) ((unsigned short)__byte_perm(v, 0, 0x4401))
#define __builtin_bswap32(v) __byte_perm(v, 0, 0x0123)
#define __builtin_bswap64(v)                                                                       \
    ((unsigned long long)__byte_perm(v, 0, 0x0123) << 32                                           \
     | __byte_perm((unsigned long long)(v) >> 32, 0, 0x0123))
#define __builtin_inff() __int_as_float(0x7f800000)
#define __builtin_inf() __longlong_as_double(0x7ff0000000000000LL)
#define __builtin_huge_valf() __builtin_inff()
#define __builtin_huge_val() __builtin_inf()
#define __builtin_memcpy memcpy
#define __builtin_memset memset
#define __builtin_trap __trap
#define __builtin_abs abs
#define __builtin_isnan isnan
#define __builtin_isinf isinf
#define __builtin_fabsf fabsf
#define __builtin_fabs fabs
#define __builtin_sqrtf sqrtf
#define __builtin_sqrt sqrt
#define __builtin_fmaf fmaf
#define __builtin_fma fma
#define __builtin_fminf fminf
#define __builtin_fmaxf fmaxf
#define __builtin_fmin fmin
#define __builtin_fmax fmax
#endif
