// Variables of type half: arithmetic rounded to half each time, vectors, literals, directed stores.
//
//@ buffer x u16 64 ints 3 12288 17000
//@ buffer y u16 64 ints 4 12288 17000
//@ buffer sum u16 64 zero
//@ buffer root u16 64 zero
//@ buffer packed u16 64 zero
//@ buffer up u16 64 zero
//@ buffer down u16 64 zero
//@ run scalars <<<64, 32>>> (x, y, sum, root)
//@ run vectors <<<16, 16>>> (x, y, packed)
//@ run directed <<<64, 64>>> (x, up, down)
//@ check sum exact
//@ check root exact
//@ check packed exact
//@ check up exact
//@ check down exact

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

half twice(half v) { return v * 2.0h; }

__kernel void scalars(__global const half *x, __global const half *y, __global half *sum,
                      __global half *root)
{
    const int i = get_global_id(0);
    half a = x[i], b = y[i];
    sum[i] = a * b + 0.5h;
    root[i] = sqrt(twice(a)) - (half)1;
}

__kernel void vectors(__global const half *x, __global const half *y, __global half *packed)
{
    const int i = get_global_id(0);
    half4 a = vload4(i, x), b = vload4(i, y);
    half4 least = fmin(a, b) / (half4)(1.0h, 2.0h, 3.0h, 4.0h);
    vstore4(select(least.wzyx, -least, a < b), i, packed);
}

__kernel void directed(__global const half *x, __global half *up, __global half *down)
{
    const int i = get_global_id(0);
    const float third = vload_half(i, x) / 3.0f;
    vstore_half_rtp(third, i, up);
    down[i] = convert_half_rtz(-third);
}
