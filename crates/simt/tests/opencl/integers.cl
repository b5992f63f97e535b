// Integer functions in several widths.
//
//@ buffer a i32 64 ints 53 -2147483648 2147483647
//@ buffer b i32 64 ints 59 -2147483648 2147483647
//@ buffer i i32 768 empty
//@ buffer u u32 640 empty
//@ buffer c i8 512 empty
//@ buffer l i64 384 empty
//@ run ints <<<64, 64>>> (a, b, i)
//@ run uints <<<64, 64>>> (a, b, u)
//@ run chars <<<64, 64>>> (a, b, c)
//@ run longs <<<64, 64>>> (a, b, l)
//@ check i exact
//@ check u exact
//@ check c exact
//@ check l exact

__kernel void ints(__global const int *a, __global const int *b, __global int *out)
{
    int t = get_global_id(0), x = a[t], y = b[t];
    __global int *o = out + 12 * t;
    o[0] = abs(x);
    o[1] = abs_diff(x, y);
    o[2] = add_sat(x, y);
    o[3] = sub_sat(x, y);
    o[4] = hadd(x, y);
    o[5] = rhadd(x, y);
    o[6] = mul_hi(x, y);
    o[7] = mad_hi(x, y, 3);
    o[8] = rotate(x, y);
    o[9] = clz(x) + 100 * popcount(y);
    o[10] = clamp(x, -1000000, 1000000);
    o[11] = mad24(x >> 9, y >> 9, 7) + mul24(x >> 10, 3);
}

__kernel void uints(__global const uint *a, __global const uint *b, __global uint *out)
{
    int t = get_global_id(0);
    uint x = a[t], y = b[t];
    __global uint *o = out + 10 * t;
    o[0] = abs(x);
    o[1] = abs_diff(x, y);
    o[2] = add_sat(x, y);
    o[3] = sub_sat(x, y);
    o[4] = hadd(x, y);
    o[5] = rhadd(x, y);
    o[6] = mul_hi(x, y);
    o[7] = mad_sat(x, y >> 20, 5u);
    o[8] = bitselect(x, y, 0xff00ff00u);
    o[9] = min(x, y) ^ max(x, 7u);
}

__kernel void chars(__global const int *a, __global const int *b, __global char *out)
{
    int t = get_global_id(0);
    char x = (char)a[t], y = (char)b[t];
    __global char *o = out + 8 * t;
    o[0] = add_sat(x, y);
    o[1] = sub_sat(x, y);
    o[2] = hadd(x, y);
    o[3] = mul_hi(x, y);
    o[4] = rotate(x, y);
    o[5] = clz(x) + 16 * popcount(y);
    o[6] = (char)(convert_uchar_sat(a[t] >> 20) >> 1);
    o[7] = convert_char_sat(a[t] >> 20);
}

__kernel void longs(__global const int *a, __global const int *b, __global long *out)
{
    int t = get_global_id(0);
    long x = upsample(a[t], as_uint(b[t])), y = upsample(b[t], as_uint(a[t]));
    __global long *o = out + 6 * t;
    o[0] = add_sat(x, y);
    o[1] = mul_hi(x, y);
    o[2] = rotate(x, y);
    o[3] = clz(x) + popcount(y);
    o[4] = rhadd(x, y);
    o[5] = convert_long_sat(as_float(a[t]));
}
