// Drives npb.cuh for the checks of exercise 3.3.1, and sets the benchmark's own form beside it.
// Given.
#include "npb.cuh"

static __device__ double randlc(double *x, double a)
{
    const double r23 = 1.0 / 8388608, t23 = 8388608, r46 = r23 * r23, t46 = t23 * t23;
    double a1 = (int)(r23 * a), a2 = a - t23 * a1;
    double x1 = (int)(r23 * *x), x2 = *x - t23 * x1;
    double t1 = a1 * x2 + a2 * x1;
    double z = t1 - t23 * (int)(r23 * t1);
    double t3 = t23 * z + a2 * x2;
    *x = t3 - t46 * (int)(r46 * t3);
    return r46 * *x;
}

// out[i]: the state after s[i] and `steps` steps.
extern "C" __global__ void lcg_steps(unsigned long long *out, const unsigned long long *s,
                                     int steps)
{
    unsigned long long state = s[threadIdx.x];
    for (int i = 0; i < steps; i++) state = lcg46(state);
    out[threadIdx.x] = state;
}

extern "C" __global__ void randlc_steps(double *out, const double *s, int steps)
{
    double state = s[threadIdx.x];
    for (int i = 0; i < steps; i++) randlc(&state, 1220703125.0);
    out[threadIdx.x] = state;
}

// out[i] = a[i]^n[i] mod 2^46.
extern "C" __global__ void powers(unsigned long long *out, const unsigned long long *a,
                                  const unsigned long long *n)
{
    out[threadIdx.x] = pow46(a[threadIdx.x], n[threadIdx.x]);
}
