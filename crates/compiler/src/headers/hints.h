// Hints for the compiler, which change nothing; what cannot be reached stops the launch.
#pragma once

#define __builtin_expect(e, v) (e)
#define __builtin_assume(e) ((void)0)
#define __builtin_assume_aligned(p, ...) (p)
#define __builtin_unreachable() __trap()
#define __assume(e) ((void)0)
