// Pairs of halves. Single halves are a type of the compiler.
#pragma once

typedef half2 __half2_raw;

__device__ half2 __floats2half2_rn(float a, float b) { half2 r; r.x = __float2half(a); r.y = __float2half(b); return r; }
__device__ half2 __float2half2_rn(float a) { return __floats2half2_rn(a, a); }
__device__ half2 __float22half2_rn(float2 a) { return __floats2half2_rn(a.x, a.y); }
__device__ half2 __halves2half2(half a, half b) { half2 r; r.x = a; r.y = b; return r; }
__device__ half2 __half2half2(half a) { return __halves2half2(a, a); }
__device__ half2 make_half2(half a, half b) { return __halves2half2(a, b); }
__device__ float2 __half22float2(half2 a) { return make_float2(__half2float(a.x), __half2float(a.y)); }
__device__ float __low2float(half2 a) { return __half2float(a.x); }
__device__ float __high2float(half2 a) { return __half2float(a.y); }
__device__ half __low2half(half2 a) { return a.x; }
__device__ half __high2half(half2 a) { return a.y; }
__device__ half2 __lows2half2(half2 a, half2 b) { return __halves2half2(a.x, b.x); }
__device__ half2 __highs2half2(half2 a, half2 b) { return __halves2half2(a.y, b.y); }
__device__ half2 __lowhigh2highlow(half2 a) { return __halves2half2(a.y, a.x); }
__device__ half2 __hadd2(half2 a, half2 b) { return __halves2half2(a.x + b.x, a.y + b.y); }
__device__ half2 __hsub2(half2 a, half2 b) { return __halves2half2(a.x - b.x, a.y - b.y); }
__device__ half2 __hmul2(half2 a, half2 b) { return __halves2half2(a.x * b.x, a.y * b.y); }
__device__ half2 __h2div(half2 a, half2 b) { return __halves2half2(a.x / b.x, a.y / b.y); }
__device__ half2 __hfma2(half2 a, half2 b, half2 c) { return __halves2half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
__device__ half2 __hneg2(half2 a) { return __halves2half2(-a.x, -a.y); }
__device__ half2 operator+(half2 a, half2 b) { return __hadd2(a, b); }
__device__ half2 operator-(half2 a, half2 b) { return __hsub2(a, b); }
__device__ half2 operator*(half2 a, half2 b) { return __hmul2(a, b); }
__device__ half2 operator/(half2 a, half2 b) { return __h2div(a, b); }
