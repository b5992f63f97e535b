// FIR filter: coefficients in a constant array of the program, and in a constant argument.
//
//@ buffer x f32 264 rand 37 -1 1
//@ buffer taps f32 8 list 0.5 -0.25 0.125 1.0 -1.0 0.75 2.0 0.0625
//@ buffer y f32 256 empty
//@ buffer z f32 256 empty
//@ run fir <<<256, 64>>> (x, y)
//@ count cld_req 64 : 8 warps, 8 taps
//@ count gld_req 64 : the samples only
//@ run fir_argument <<<256, 64>>> (x, taps, z, 8)
//@ count cld_req 64 : a constant argument is constant memory, too
//@ count gld_req 64 : the samples only
//@ check y exact
//@ check z exact

#define TAPS 8

__constant float own_taps[TAPS] = { 0.5f, -0.25f, 0.125f, 1.0f, -1.0f, 0.75f, 2.0f, 0.0625f };

__kernel void fir(__global const float *x, __global float *y)
{
    int i = get_global_id(0);
    float sum = 0.0f;
    __attribute__((opencl_unroll_hint(4)))
    for (int k = 0; k < TAPS; ++k)
        sum += own_taps[k] * x[i + k];
    y[i] = sum;
}

__kernel void fir_argument(__global const float *x, __constant float *taps, __global float *y,
                           int n)
{
    int i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
        sum += taps[k] * x[i + k];
    y[i] = sum;
}
