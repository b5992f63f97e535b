// Double precision and the mathematical functions: numerical integration, Newton iteration,
// functions with several results.
//
//@ buffer x f64 200 rand 261 0.1 3
//@ buffer functions f64 200 empty
//@ buffer singles f32 200 empty
//@ buffer roots f64 64 empty
//@ buffer parts f64 128 empty
//@ buffer integral f64 1 zero
//@ buffer rounded f64 200 empty
//@ run functions_of_double <<<1, 200>>> (x, functions)
//@ run functions_of_float <<<1, 200>>> (x, singles)
//@ run newton_roots <<<1, 64>>> (roots)
//@ run integrate <<<1, 256>>> (integral, 4096)
//@ run rounding <<<1, 200>>> (x, rounded)
//@ run split <<<1, 64>>> (x, parts)
//@ check functions within 1e-12
//@ check singles within 2e-5
//@ check roots within 1e-15
//@ check integral within 1e-9
//@ check rounded exact
//@ check parts exact

extern "C" __global__ void functions_of_double(const double *x, double *y)
{
    int i = threadIdx.x;
    double v = x[i];
    double sum = sin(v) * cos(v) + tan(v * 0.25) + exp(-v) + log(v) + log10(v) + log2(v) + exp2(-v);
    sum += sqrt(v) + cbrt(v) + pow(v, 1.5) + atan2(v, 2.0) + asin(v / 4) + acos(v / 4) + atan(v);
    sum +=
        sinh(v) + cosh(v) + tanh(v) + hypot(v, 3.0) + erf(v) + fmod(7.0, v) + log1p(v) + expm1(-v);
    y[i] = sum + fabs(-v) + fmax(v, 1.0) + fmin(v, 2.0) + copysign(v, -1.0) + fma(v, v, 1.0);
}

extern "C" __global__ void functions_of_float(const double *x, float *y)
{
    int i = threadIdx.x;
    float v = (float)x[i];
    float sum =
        sinf(v) * cosf(v) + tanf(v * 0.25f) + expf(-v) + logf(v) + log10f(v) + log2f(v) + exp2f(-v);
    sum += sqrtf(v) + cbrtf(v) + powf(v, 1.5f) + atan2f(v, 2.0f) + asinf(v / 4) + acosf(v / 4) +
           atanf(v);
    sum += tanhf(v) + hypotf(v, 3.0f) + erff(v) + fmodf(7.0f, v) + rsqrtf(v) + __fdividef(1.0f, v) +
           __expf(-v);
    y[i] =
        sum + fabsf(-v) + fmaxf(v, 1.0f) + fminf(v, 2.0f) + copysignf(v, -1.0f) + fmaf(v, v, 1.0f);
}

extern "C" __global__ void newton_roots(double *roots)
{
    double a = threadIdx.x + 1, x = a, before;
    do {
        before = x;
        x = 0.5 * (x + a / x);
    } while (x < before);
    roots[threadIdx.x] = before;
}

// Pi as the integral of 4 / (1 + x^2), by the midpoint rule.
extern "C" __global__ void integrate(double *result, int steps)
{
    __shared__ double s[256];
    double h = 1.0 / steps, sum = 0.0;
    for (int i = threadIdx.x; i < steps; i += blockDim.x) {
        double x = (i + 0.5) * h;
        sum += 4.0 / (1.0 + x * x);
    }
    s[threadIdx.x] = sum * h;
    __syncthreads();
    for (int half = 128; half; half >>= 1) {
        if (threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        result[0] = s[0];
}

extern "C" __global__ void rounding(const double *x, double *y)
{
    int i = threadIdx.x;
    double v = (x[i] - 1.5) * 10;
    y[i] = floor(v) + 10 * ceil(v) + 100 * trunc(v) + 1000 * round(v) + 10000 * rint(v) +
           __double2int_rn(v) + (int)v + (float)v + (isnan(v) || isinf(v) ? 1e300 : 0.0);
}

extern "C" __global__ void split(const double *x, double *parts)
{
    int i = threadIdx.x, exponent;
    double whole;
    double mantissa = frexp(x[i] * 100, &exponent);
    double fraction = modf(x[i], &whole);
    parts[2 * i] = ldexp(mantissa, exponent) + whole;
    parts[2 * i + 1] = fraction + __longlong_as_double(__double_as_longlong(x[i]) & ~0xffffffffll);
}
