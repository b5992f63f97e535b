// What compilers built on clang add to C: overloads of the program's own, beside the built-in
// functions too, blocks of statements as expressions that nobody reads, hints of GNU C; `upsample`
// with a signed low half, vectors of three as bytes; elements by number, ranges of cases.
//
//@ buffer x f32 8 iota 1 1
//@ buffer y f32 8 zero
//@ buffer w i32 8 zero
//@ buffer z i32 12 zero
//@ run overloads <<<1, 1>>> (x, y, z)
//@ run chosen <<<8, 8>>> (w)
//@ run hints <<<4, 2>>> (z)
//@ expect w 13 11 22 22 22 22 11 35
//@ expect y 3 8 6 3 4 0 0 0
//@ expect z 6 1003 2005 0 11 4 -1 258 513 0 1 1

#define OVER __attribute__((overloadable))
float OVER twice(float x) { return 2.0f * x; }
int OVER twice(int x) { return 2 * x; }
float4 OVER twice(float4 x) { return 2.0f * x; }
float OVER first(__local const int *p) { return p[0] + 1000; }
float OVER first(const int *p) { return p[0] + 2000; }
float4 OVER max(float4 x, int least) { return x + least; }

__constant int table[8] = {[5] = 20, [1] = 10, 20, 20, 20, [7] = 30, [0] = 10};
__constant int corner[][2] = {{[1] = 3}, [2] = {4, 5}};

__kernel void chosen(__global int *w)
{
    const int i = get_global_id(0);
    const int small[] = {[2] = 1};
    int more = sizeof(small) / sizeof(small[0]) + sizeof(corner) / sizeof(corner[0]) - 6;
    switch (i - 3) {
    case -3 ... -3:
        more = corner[0][1] + small[0];
        break;
    case -1 ... 2:
        more = 2 * small[2];
        break;
    case 4:
        more = corner[2][1] + corner[1][0];
        break;
    default:
        more += 1;
    }
    w[i] = table[i] + more + (i == 6 ? 10 : 0);
}

__kernel void overloads(__global const float *x, __global float *y, __global int *z)
{
    __local int shared_one[1];
    int own[1] = {5};
    shared_one[0] = 3;
    y[0] = twice(1.5f);
    y[1] = twice((float4)(1, 2, 3, 4)).w;
    y[2] = twice((char)3);
    z[0] = twice(3);
    z[1] = first(shared_one);
    z[2] = first(own);
    y[3] = max(x[1], x[2]);
    y[4] = max((float4)x[0], 3).x;
    z[6] = upsample(-1, -1) >> 32;
    z[7] = as_int((char4)(2, 1, 0, 0));
    z[8] = as_int2((short3)(513, 0, 4)).x;
    z[10] = ilogb(0.0f) == FP_ILOGB0;
    z[11] = ilogb(NAN) == FP_ILOGBNAN;
}

__kernel void hints(__global int *z)
{
    const int i = get_global_id(0);
    if (__builtin_expect(i > 0, 0))
        return;
    ({
        int ten = 10;
        z[4] = ten + 1;
        z[5] = 4;
        if (ten == 10)
            return;
    });
    z[9] = 1;
}
