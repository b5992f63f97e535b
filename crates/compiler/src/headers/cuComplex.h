// Complex numbers as pairs: the names of cuComplex.h.
#pragma once

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

__host__ __device__ cuComplex make_cuComplex(float x, float y) { return make_float2(x, y); }

__host__ __device__ cuFloatComplex make_cuFloatComplex(float x, float y)
{ return make_float2(x, y); }
__host__ __device__ float cuCrealf(cuFloatComplex z) { return z.x; }
__host__ __device__ float cuCimagf(cuFloatComplex z) { return z.y; }
__host__ __device__ cuFloatComplex cuConjf(cuFloatComplex z) { return make_float2(z.x, -z.y); }
__host__ __device__ cuFloatComplex cuCaddf(cuFloatComplex a, cuFloatComplex b)
{ return make_float2(a.x + b.x, a.y + b.y); }
__host__ __device__ cuFloatComplex cuCsubf(cuFloatComplex a, cuFloatComplex b)
{ return make_float2(a.x - b.x, a.y - b.y); }
__host__ __device__ cuFloatComplex cuCmulf(cuFloatComplex a, cuFloatComplex b)
{ return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__host__ __device__ cuFloatComplex cuCdivf(cuFloatComplex a, cuFloatComplex b)
{
    // Scaled by the larger part, so that the squares do not overflow.
    float s = fabsf(b.x) + fabsf(b.y);
    float q = 1 / s;
    float ax = a.x * q, ay = a.y * q, bx = b.x * q, by = b.y * q;
    float d = 1 / (bx * bx + by * by);
    return make_float2((ax * bx + ay * by) * d, (ay * bx - ax * by) * d);
}
__host__ __device__ float cuCabsf(cuFloatComplex z) { return hypotf(z.x, z.y); }
__host__ __device__ cuFloatComplex cuCfmaf(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c)
{ return cuCaddf(cuCmulf(a, b), c); }

__host__ __device__ cuDoubleComplex make_cuDoubleComplex(double x, double y)
{ return make_double2(x, y); }
__host__ __device__ double cuCreal(cuDoubleComplex z) { return z.x; }
__host__ __device__ double cuCimag(cuDoubleComplex z) { return z.y; }
__host__ __device__ cuDoubleComplex cuConj(cuDoubleComplex z) { return make_double2(z.x, -z.y); }
__host__ __device__ cuDoubleComplex cuCadd(cuDoubleComplex a, cuDoubleComplex b)
{ return make_double2(a.x + b.x, a.y + b.y); }
__host__ __device__ cuDoubleComplex cuCsub(cuDoubleComplex a, cuDoubleComplex b)
{ return make_double2(a.x - b.x, a.y - b.y); }
__host__ __device__ cuDoubleComplex cuCmul(cuDoubleComplex a, cuDoubleComplex b)
{ return make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__host__ __device__ cuDoubleComplex cuCdiv(cuDoubleComplex a, cuDoubleComplex b)
{
    // Scaled by the larger part, so that the squares do not overflow.
    double s = fabs(b.x) + fabs(b.y);
    double q = 1 / s;
    double ax = a.x * q, ay = a.y * q, bx = b.x * q, by = b.y * q;
    double d = 1 / (bx * bx + by * by);
    return make_double2((ax * bx + ay * by) * d, (ay * bx - ax * by) * d);
}
__host__ __device__ double cuCabs(cuDoubleComplex z) { return hypot(z.x, z.y); }
__host__ __device__ cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c)
{ return cuCadd(cuCmul(a, b), c); }
