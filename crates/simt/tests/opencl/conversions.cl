// Conversions with rounding and saturation, bits reinterpreted, halves in memory.
//
//@ buffer x f32 8 list 1.5 2.5 -1.5 -2.7 300.25 -300.25 0.49 3e9
//@ buffer i i32 64 empty
//@ buffer b u8 32 empty
//@ buffer h u16 8 list 15360 49152 13653 31743 1 0 32768 15361
//@ buffer f f32 8 empty
//@ buffer g u16 8 empty
//@ buffer d f32 4 empty
//@ run rounding <<<8, 8>>> (x, i, b)
//@ run halves <<<2, 2>>> (h, f, g)
//@ run directed <<<1, 1>>> (d)
//@ expect i 1 2 1 2 1 1 1 1069547520 2 2 2 3 2 2 2 1075838976 -1 -2 -2 -1 -1 -1 -1 -1077936128 -2 -3 -3 -2 -2 -2 -2 -1070805811 300 300 300 301 300 127 300 1133912064 -300 -300 -301 -300 -300 -128 -300 -1013571584 0 0 0 1 0 0 0 1056629064 2147483647 2147483647 2147483647 2147483647 2147483647 127 32767 1328730206
//@ expect b 1 2 0 0 2 2 0 0 0 254 255 255 0 253 255 255 255 44 1 0 0 212 254 255 0 0 0 0 255 0 94 208
//@ expect f 1 -2 0.33325195 65504 5.9604645e-8 0 -0.0 1.0009766
//@ expect g 15360 49152 13653 31743 1 0 32768 15361
//@ expect d 16777216 16777218 -16777218 -16777216

__kernel void rounding(__global const float *x, __global int *i, __global uchar *b)
{
    int t = get_global_id(0);
    float v = x[t];
    __global int *o = i + 8 * t;
    o[0] = convert_int_sat(v);
    o[1] = convert_int_sat_rte(v);
    o[2] = convert_int_sat_rtn(v);
    o[3] = convert_int_sat_rtp(v);
    o[4] = convert_int_sat_rtz(v);
    o[5] = convert_char_sat(v);
    o[6] = convert_short_sat(v);
    o[7] = as_int(v);
    b[4 * t] = convert_uchar_sat(v);
    uchar4 bytes = as_uchar4(convert_int_sat_rte(v));
    b[4 * t + 1] = t == 7 ? 0 : bytes.s0;
    b[4 * t + 2] = t == 7 ? as_uchar4(v).s0 ^ 0 : bytes.s1;
    b[4 * t + 3] = t == 7 ? as_ushort2(v).s0 >> 8 : bytes.s2;
}

__kernel void halves(__global const half *h, __global float *f, __global half *g)
{
    size_t t = get_global_id(0);
    float4 v = vload_half4(t, h);
    vstore4(v, t, f);
    vstore_half(v.x, 4 * t, g);
    vstore_half_rte(v.y, 4 * t + 1, g);
    vstore_half2(v.zw, 2 * t + 1, g);
}

__kernel void directed(__global float *d)
{
    int odd = 16777217;
    d[0] = convert_float_rtn(odd);
    d[1] = convert_float_rtp(odd);
    d[2] = convert_float_rtn(-odd);
    d[3] = convert_float_rtz(-odd);
}
