// What other compilers take with a warning or without: overloads by the better choice, pointers to
// other types, wide enumerators, constants of constants, conditions between arguments.
//
//@ options -D "SQUARE(x)=((x)*(x))"
//@ buffer x f32 16 iota 1 1
//@ buffer y f32 16 zero
//@ buffer z i32 6 zero
//@ run overloads <<<16, 16>>> (x, y)
//@ run words <<<1, 1>>> (x, z)
//@ check y exact
//@ expect z 23 1065353216 591751048 7 49 11
//@ prints 4294967298 3

enum { WIDE = 0x123456789abL };
static const __constant float BLACK = 16.0f;
static const __constant float SHARE = BLACK / 64.0f;
const sampler_t nearest = CLK_FILTER_NEAREST;

#define LINEAR(a, b, c) ((a) * (b) + (c))

__kernel void overloads(__global const float *x, __global float *y)
{
    const int i = get_global_id(0);
    y[i] = pow(x[i], 2) + fmax(x[i], 3) + SHARE + LINEAR(x[i],
#ifdef SQUARE
        2.0f,
#else
        3.0f,
#endif
        1.0f);
}

__kernel void words(__global const float *x, __global int *z)
{
    uchar narrow = 4;
    __global const uint *bits = x;
    __global int *plain = bits;
    union
    {
        uint number;
        uchar part[4];
    }
    both;
    both.number = 7;
    z[0] = mad24(narrow, 5, 3);
    z[1] = plain[0];
    z[2] = (int)(WIDE >> 8) ^ (int)(WIDE >> 40);
    z[3] = both.part[0];
    z[4] = SQUARE(narrow + 3);
    z[5] = both.part[0] + narrow;
    printf("%ld %d\n", 4294967298L, (size_t)3);
}
