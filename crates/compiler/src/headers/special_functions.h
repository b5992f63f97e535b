// Functions of CUDA's mathematics that take more than one operation; in float they are those in
// double, rounded.
#pragma once

__device__ double rcbrt(double x) { return 1.0 / cbrt(x); }
__device__ double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
__device__ double norm3d(double x, double y, double z) { return hypot(hypot(x, y), z); }
__device__ double norm4d(double x, double y, double z, double w)
{ return hypot(hypot(x, y), hypot(z, w)); }
__device__ double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
__device__ double rnorm4d(double x, double y, double z, double w)
{ return 1.0 / norm4d(x, y, z, w); }
__device__ float rcbrtf(float x) { return (float)rcbrt((double)x); }
__device__ float rcbrt(float x) { return rcbrtf(x); }
__device__ float rhypotf(float x, float y) { return (float)rhypot((double)x, (double)y); }
__device__ float norm3df(float x, float y, float z)
{ return (float)norm3d((double)x, (double)y, (double)z); }
__device__ float norm4df(float x, float y, float z, float w)
{
    return (float)norm4d((double)x, (double)y, (double)z, (double)w);
}
__device__ float rnorm3df(float x, float y, float z)
{ return (float)rnorm3d((double)x, (double)y, (double)z); }
__device__ float rnorm4df(float x, float y, float z, float w)
{
    return (float)rnorm4d((double)x, (double)y, (double)z, (double)w);
}
__device__ double norm(int n, const double *x)
{
    double sum = 0.0;
    for (int k = 0; k < n; ++k)
        sum = hypot(sum, x[k]);
    return sum;
}
__device__ float normf(int n, const float *x)
{
    double sum = 0.0;
    for (int k = 0; k < n; ++k)
        sum += (double)x[k] * (double)x[k];
    return (float)sqrt(sum);
}

// The scaled complementary error function: beyond 2 by Laplace's continued fraction.
__device__ double erfcx(double x)
{
    if (x < 2.0)
        return exp(x * x) * erfc(x);
    double rest = x;
    for (int k = 100; k > 0; --k)
        rest = x + 0.5 * k / rest;
    return 0.56418958354775628695 / rest;
}
// The inverse of erfc: Newton's method of third order (Halley) from the leading term for small y.
__device__ double erfcinv(double y)
{
    if (!(y > 0.0 && y < 2.0))
        return y == 0.0 ? (double)INFINITY : y == 2.0 ? -(double)INFINITY : (double)NAN;
    double tail = y < 1.0 ? y : 2.0 - y, t = sqrt(-2.0 * log(0.5 * tail));
    // Abramowitz and Stegun 26.2.22.
    double x = 0.70710678118654752440 *
               (t - (2.30753 + t * 0.27061) / (1.0 + t * (0.99229 + t * 0.04481)));
    for (int k = 0; k < 4; ++k) {
        double wrong = (erfc(x) - tail) / (1.12837916709551257390 * exp(-x * x));
        x += wrong / (1.0 - x * wrong);
    }
    return y < 1.0 ? x : -x;
}
__device__ double erfinv(double y)
{
    if (fabs(y) > 0.5)
        return y > 0.0 ? erfcinv(1.0 - y) : -erfcinv(1.0 + y);
    double x = 0.88622692545275801365 * y;
    for (int k = 0; k < 5; ++k) {
        double wrong = (erf(x) - y) / (1.12837916709551257390 * exp(-x * x));
        x -= wrong / (1.0 + x * wrong);
    }
    return x;
}
__device__ double normcdfinv(double p) { return -1.41421356237309504880 * erfcinv(2.0 * p); }

// Bessel functions of whole order by their integral over a period, whose trapezoidal sum converges
// faster than any power of its length.
__device__ double __bessel_j(int n, double x)
{
    int points = 32 + 2 * (abs(n) + (int)fabs(x));
    double sum = 0.0;
    for (int k = 0; k < points; ++k) {
        double angle = 6.28318530717958647692 * k / points;
        sum += cos(n * angle - x * sin(angle));
    }
    return sum / points;
}
__device__ double jn(int n, double x) { return __bessel_j(n, x); }
__device__ double j0(double x) { return __bessel_j(0, x); }
__device__ double j1(double x) { return __bessel_j(1, x); }
__device__ double __bessel_i(int n, double x)
{
    int points = 32 + 2 * (int)sqrt(fabs(x) * 40.0);
    double sum = 0.0;
    for (int k = 0; k < points; ++k) {
        double angle = 6.28318530717958647692 * k / points;
        sum += exp(x * cos(angle)) * cos(n * angle);
    }
    return sum / points;
}
__device__ double cyl_bessel_i0(double x) { return __bessel_i(0, x); }
__device__ double cyl_bessel_i1(double x) { return __bessel_i(1, x); }

#define __IN_FLOAT(name) \
    __device__ float name##f(float x) { return (float)name((double)x); } \
    __device__ float name(float x) { return name##f(x); }
__IN_FLOAT(erfcx)
__IN_FLOAT(erfcinv)
__IN_FLOAT(erfinv)
__IN_FLOAT(normcdfinv)
__IN_FLOAT(cyl_bessel_i0)
__IN_FLOAT(cyl_bessel_i1)
__device__ float j0f(float x) { return (float)__bessel_j(0, (double)x); }
__device__ float j1f(float x) { return (float)__bessel_j(1, (double)x); }
__device__ float jnf(int n, float x) { return (float)__bessel_j(n, (double)x); }
__device__ float j0(float x) { return j0f(x); }
__device__ float j1(float x) { return j1f(x); }
__device__ float jn(int n, float x) { return jnf(n, x); }
#undef __IN_FLOAT

// Parts of numbers.
__device__ int ilogb(double x)
{
    int e;
    if (x == 0.0)
        return -2147483647 - 1;
    if (!isfinite(x))
        return isinf(x) ? 2147483647 : -2147483647 - 1;
    frexp(x, &e);
    return e - 1;
}
__device__ int ilogbf(float x) { return ilogb((double)x); }
__device__ double logb(double x)
{
    return x == 0.0 ? -(double)INFINITY : isfinite(x) ? (double)ilogb(x) : x * x;
}
__device__ float logbf(float x) { return (float)logb((double)x); }
__device__ float logb(float x) { return logbf(x); }
template <typename T> __device__ double logb(T x) { return logb((double)x); }
__device__ double scalbln(double x, long n) { return ldexp(x, (int)max(-5000l, min(5000l, n))); }
__device__ float scalblnf(float x, long n) { return ldexpf(x, (int)max(-5000l, min(5000l, n))); }
__device__ float scalbln(float x, long n) { return scalblnf(x, n); }
template <typename T> __device__ double scalbln(T x, long n) { return scalbln((double)x, n); }
__device__ double remquo(double x, double y, int *quotient)
{
    double r = remainder(x, y);
    *quotient = (int)(long long)rint(fmod(x - r, 8.0 * y) / y);
    return r;
}
__device__ float remquof(float x, float y, int *quotient)
{
    return (float)remquo((double)x, (double)y, quotient);
}
__device__ float remquo(float x, float y, int *quotient) { return remquof(x, y, quotient); }
__device__ double nan(const char *) { return __longlong_as_double(0x7fffffffffffffffll); }
__device__ float nanf(const char *) { return __int_as_float(0x7fffffff); }
__device__ bool isnormal(double x) { return isfinite(x) && fabs(x) >= 2.2250738585072014e-308; }
__device__ bool isnormal(float x) { return isfinite(x) && fabsf(x) >= 1.17549435e-38f; }
template <typename T> __device__ bool isnormal(T x) { return isnormal((double)x); }
__device__ int __isnanf(float x) { return isnan(x); }
__device__ int __isinff(float x) { return isinf(x); }
__device__ int __finitef(float x) { return isfinite(x); }
__device__ int __signbitf(float x) { return signbit(x); }
__device__ int __isnand(double x) { return isnan(x); }
__device__ int __isinfd(double x) { return isinf(x); }
__device__ int __isfinited(double x) { return isfinite(x); }
__device__ int __signbitd(double x) { return signbit(x); }
__device__ int __double2hiint(double d) { return (int)(__double_as_longlong(d) >> 32); }
__device__ int __double2loint(double d) { return (int)__double_as_longlong(d); }
__device__ double __hiloint2double(int high, int low)
{
    return __longlong_as_double(
        (long long)((unsigned long long)(unsigned int)high << 32 | (unsigned int)low));
}
__device__ int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
__device__ unsigned int __uhadd(unsigned int a, unsigned int b)
{ return (unsigned int)(((unsigned long long)a + b) >> 1); }

// The place of the n-th set bit from `base` on: upwards for positive n, downwards for negative.
__device__ unsigned int __fns(unsigned int mask, unsigned int base, int n)
{
    int step = n < 0 ? -1 : 1, left = n == 0 ? 1 : abs(n);
    for (int at = (int)base; at >= 0 && at < 32; at += step) {
        if ((mask >> at & 1) && --left == 0)
            return (unsigned int)at;
        if (n == 0)
            break;
    }
    return 0xffffffffu;
}
template <typename T> __device__ unsigned int __match_all_sync(unsigned int mask, T value, int *all)
{
    unsigned int same = __match_any_sync(mask, value);
    *all = same == mask;
    return *all ? mask : 0u;
}
