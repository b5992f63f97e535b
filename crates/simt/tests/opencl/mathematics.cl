// Functions of floating-point numbers, on scalars and vectors.
//
//@ buffer x f32 64 rand 61 -3 3
//@ buffer y f32 64 rand 67 0.1 4
//@ buffer one f32 1280 empty
//@ buffer four f32 320 empty
//@ buffer twice f64 128 empty
//@ run scalars <<<64, 32>>> (x, y, one)
//@ run vectors <<<16, 16>>> (x, y, four)
//@ run doubles <<<64, 64>>> (x, y, twice)
//@ check one within 2e-6
//@ check four within 2e-6
//@ check twice within 1e-12

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void scalars(__global const float *x, __global const float *y, __global float *out)
{
    int t = get_global_id(0);
    float a = x[t], b = y[t], f;
    int e;
    __global float *o = out + 20 * t;
    o[0] = sin(a) + cos(b);
    o[1] = exp(a) * native_log(b);
    o[2] = pow(b, a);
    o[3] = pown(a, 3);
    o[4] = rootn(b, 3);
    o[5] = mad(a, b, 1.0f);
    o[6] = fma(a, b, -1.0f);
    o[7] = clamp(a, -1.0f, 1.0f);
    o[8] = mix(a, b, 0.25f);
    o[9] = step(0.5f, a) + 2.0f * sign(a);
    o[10] = smoothstep(-1.0f, 2.0f, a);
    o[11] = degrees(a) - radians(b);
    o[12] = fract(a, &f) + 10.0f * f;
    o[13] = frexp(b, &e) + e;
    o[14] = modf(a, &f) + f;
    o[15] = sincos(a, &f) + f;
    o[16] = ldexp(a, 2) + ilogb(b);
    o[17] = half_recip(b) + native_divide(a, b);
    o[18] = hypot(a, b) + fmod(a, b) + fabs(a);
    o[19] = isless(a, b) + 2 * isnan(NAN) + 4 * isfinite(INFINITY) +
            (isgreater(a, 0.0f) ? M_PI_F : 0.0f);
}

__kernel void vectors(__global const float4 *x, __global const float4 *y, __global float4 *out)
{
    int t = get_global_id(0);
    float4 a = x[t], b = y[t], c;
    __global float4 *o = out + 5 * t;
    o[0] = sqrt(b) + fmax(a, 0.5f);
    o[1] = clamp(a, 0.0f, 1.0f) + mix(a, b, 0.5f);
    o[2] = cross(a, b);
    o[3] = (float4)(dot(a, b), length(a), distance(a, b), fast_length(b));
    o[4] = sincos(a, &c);
    o[4] -= c;
}

__kernel void doubles(__global const float *x, __global const float *y, __global double *out)
{
    int t = get_global_id(0);
    double2 v = (double2)(x[t], y[t]);
    vstore2(exp(v) * M_PI, t, out);
}
