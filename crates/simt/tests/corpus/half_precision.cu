// Half precision as storage: conversion both ways, rounding to nearest even, two halves in a word.
//
//@ buffer x f32 256 rand 331 -100 100
//@ buffer h u16 256 empty
//@ buffer back f32 256 empty
//@ buffer sums f32 128 empty
//@ run to_half <<<1, 256>>> (x, h)
//@ count gst_sec 16 : 64 bytes per request: 2 sectors, 8 warps
//@ run to_float <<<1, 256>>> (h, back)
//@ run add_pairs <<<1, 128>>> (h, sums)
//@ check h exact
//@ check back exact
//@ check sums exact

#include <cuda_fp16.h>

extern "C" __global__ void to_half(const float *x, __half *h)
{
    h[threadIdx.x] = __float2half(x[threadIdx.x]);
}

extern "C" __global__ void to_float(const half *h, float *back)
{
    back[threadIdx.x] = __half2float(h[threadIdx.x]);
}

extern "C" __global__ void add_pairs(const half2 *h, float *sums)
{
    half2 v = h[threadIdx.x];
    sums[threadIdx.x] = __low2float(v) + __high2float(v);
}
