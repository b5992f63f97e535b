// European options by the closed formula, with the polynomial for the normal distribution, in
// single and double precision.
//
//@ buffer price f32 300 rand 161 5 30
//@ buffer strike f32 300 rand 162 1 100
//@ buffer years f32 300 rand 163 0.25 10
//@ buffer call f32 300 empty
//@ buffer put f32 300 empty
//@ buffer exact_call f64 300 empty
//@ run black_scholes <<<3, 128>>> (price, strike, years, call, put, 0.02, 0.30, 300)
//@ run black_scholes_double <<<3, 128>>> (price, strike, years, exact_call, 0.02, 0.30, 300)
//@ check call within 5e-5
//@ check put within 5e-5
//@ check exact_call within 1e-12

__device__ inline float cumulative_normal(float d)
{
    const float a1 = 0.31938153f, a2 = -0.356563782f, a3 = 1.781477937f, a4 = -1.821255978f,
                a5 = 1.330274429f;
    const float one_over_root_2pi = 0.39894228040143267793994605993438f;
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float tail = one_over_root_2pi * expf(-0.5f * d * d) *
                 (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));
    return d > 0 ? 1.0f - tail : tail;
}

extern "C" __global__ void black_scholes(const float *price, const float *strike,
                                         const float *years, float *call, float *put, float r,
                                         float sigma, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s = price[i], x = strike[i], t = years[i];
    float root = sqrtf(t);
    float d1 = (logf(s / x) + (r + 0.5f * sigma * sigma) * t) / (sigma * root);
    float d2 = d1 - sigma * root;
    float n1 = cumulative_normal(d1), n2 = cumulative_normal(d2);
    float discount = expf(-r * t);
    call[i] = s * n1 - x * discount * n2;
    put[i] = x * discount * (1.0f - n2) - s * (1.0f - n1);
}

extern "C" __global__ void black_scholes_double(const float *price, const float *strike,
                                                const float *years, double *call, double r,
                                                double sigma, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double s = price[i], x = strike[i], t = years[i];
    double d1 = (log(s / x) + (r + 0.5 * sigma * sigma) * t) / (sigma * sqrt(t));
    double d2 = d1 - sigma * sqrt(t);
    double n1 = 0.5 * erfc(-d1 / sqrt(2.0)), n2 = 0.5 * erfc(-d2 * rsqrt(2.0));
    call[i] = s * n1 - x * exp(-r * t) * n2;
}
