// clamp, mix, dot, select, convert and as.
//@ buffer out f32 6 zero
//@ run go <<<1, 1>>> (out)
//@ expect out 1 2.5 11 4 3 1
__kernel void go(__global float *out)
{
    out[0] = clamp(3.0f, 0.0f, 1.0f);
    out[1] = mix(2.0f, 3.0f, 0.5f);
    out[2] = dot((float2)(1, 2), (float2)(3, 4));
    out[3] = select(3.0f, 4.0f, 1);
    out[4] = convert_float(convert_int_rte(2.6f));
    out[5] = as_float(0x3f800000);
}
