// Vectors: literals from parts, swizzles on both sides, operators, comparisons, choices, lengths 2
// to 16, and pointers.
//
//@ buffer out f32 64 zero
//@ buffer ints i32 64 zero
//@ buffer bytes u8 64 zero
//@ run floats <<<1, 1>>> (out)
//@ run integers <<<1, 1>>> (ints, bytes)
//@ expect out 1 2 3 4 4 3 2 1 3 1 2 4 2 4 1 3 8 6 3 4 0.5 1 1.5 2 1 2 7 8 1 3 5 7 2 4 6 8 5 6 7 9 9 10 11 12 30 2 5 14 1 0 0 0 10 2 30 4 0 0 0 0 0 0 0 0
//@ expect ints -1 0 -1 0 0 -1 0 -1 1 20 3 40 3 6 9 12 -1 -2 -3 -4 2 8 24 64 1 1 0 0 16 12 4 6 -1 0 -1 -1 0 -1 0 0 7 8 9 10 5 6 7 8 5 6 7 9 12 12 34 -34 3 0 0 0 0 0 0 0
//@ expect bytes 1 2 3 255 254 253 252 0 250 251 252 253 254 255 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 0 128 64 32 16 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0

typedef float4 real4;

float sum_of(float3 v)
{
    return v.x + v.y + v.z;
}

__kernel void floats(__global float *out)
{
    __global float4 *o = (__global float4 *)out;
    float2 ab = (float2)(1.0f, 2.0f);
    float4 v = (float4)(ab, 3.0f, 4.0f);
    o[0] = v;
    o[1] = v.wzyx;
    o[2] = (float4)(v.zx, v.yw).xyzw.s0132.xywz;
    float4 w = v;
    w.xy = v.yw;
    w.s23 = v.xz;
    o[3] = w;
    v.lo += (float2)(7.0f, 4.0f);
    o[4] = v;
    o[5] = (real4)(1, 2, 3, 4) * 0.5f;
    float8 e = (float8)(1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f);
    o[6] = (float4)(e.s01, e.s67);
    o[7] = e.even;
    o[8] = e.odd;
    float3 t = e.s456;
    t.z += 1.0f;
    t = t + (float3)(0.0f, 0.0f, 0.0f);
    o[9] = (float4)(t.xy, t.z - 1.0f, 9.0f);
    float16 big = (float16)(e, e + 8.0f);
    o[10] = big.s89ab;
    o[11] = (float4)(sum_of((float3)(5, 10, 15)), as_int(0.0f) + 2, length((float2)(3.0f, 4.0f)),
                     dot(v.zw, (float2)(2.0f, 2.0f)));
    o[12] = normalize((float4)(5.0f, 0.0f, 0.0f, 0.0f));
    float4 *p = &v;
    *p = (float4)(1, 2, 3, 4);
    p->xz *= 10.0f;
    vstore4(*p, 13, out);
}

__kernel void integers(__global int *out, __global uchar *bytes)
{
    __global int4 *o = (__global int4 *)out;
    int4 a = (int4)(1, 2, 3, 4), b = (int4)(10, 20, 30, 40);
    float4 x = (float4)(1.0f, 5.0f, 2.0f, 6.0f), y = (float4)(3.0f);
    o[0] = x < y;
    o[1] = x >= y;
    o[2] = x < y ? a : b;
    o[3] = a * 3;
    o[4] = -a;
    o[5] = a << a;
    o[6] = (int4)(any(x < y), any(x == y) + 1, all(x < y), all(x == y));
    int4 c = b;
    c %= 7;
    c ^= 0;
    o[7] = (int4)(c.s0 + 13, c.y + 6, c.z + 2, c.w + 1);
    o[8] = !(int4)(0, 1, 0, 0) ;
    o[9] = a == 2 || a == (int4)(5);
    int4 d = a;
    d += 6;
    o[10] = d;
    o[11] = d++ - 2;
    d--;
    d.w = d.w - 1;
    o[12] = d - (int4)(2, 2, 2, 0);
    o[13].x = max(a, b).x + 2;
    o[13].yzw = select((int3)(12, 34, -34), (int3)(0), a.xyz > 3);
    o[14].x = vec_step(x) - 1;
    __global uchar4 *q = (__global uchar4 *)bytes;
    q[0] = (uchar4)(1, 2, 3, 255);
    q[1] = (uchar4)(254, 253, 252, 0);
    uchar16 k = (uchar16)(250, 251, 252, 253, 254, 255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    vstore16(k, 0, bytes + 8);
    uchar8 l = k.hi;
    vstore8(l + (uchar)8, 0, bytes + 24);
    q[7].w = 16;
    bytes[30] = 16;
    bytes[31] = 0;
    bytes[24] = 10; bytes[25] = 11; bytes[26] = 12; bytes[27] = 13; bytes[28] = 14; bytes[29] = 15;
    q[8] = (uchar4)(1, 2, 4, 8) << (uchar4)(7, 5, 3, 1);
}
