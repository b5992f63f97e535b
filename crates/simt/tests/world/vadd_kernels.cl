// In the manner of vendor samples.
//@ buffer a f32 16 iota 0 1
//@ buffer b f32 16 fill 1
//@ buffer c f32 16 zero
//@ run vadd <<<16, 8>>> (a, b, c, 16)
//@ expect c 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
__kernel void vadd(__global const float *a, __global const float *b, __global float *c,
                   const unsigned int count)
{
    int i = get_global_id(0);
    if (i < count) c[i] = a[i] + b[i];
}
