// In the manner of the samples' BlackScholes: results by reference, float2 loads in pairs,
// `__launch_bounds__`, a host version in another function with the same formula.
//@ buffer call f32 4 zero
//@ buffer put f32 4 zero
//@ buffer s f32 4 list 100 100 50 20
//@ buffer x f32 4 list 100 110 50 80
//@ buffer t f32 4 list 1 1 2 0.5
//@ buffer ok i32 4 zero
//@ run BlackScholesGPU <<<1, 128>>> (call, put, s, x, t, 0.02, 0.3, 4)
//@ run parity <<<1, 4>>> (ok, call, put, s, x, t, 0.02)
//@ expect ok 1 1 1 1
#include <helper_functions.h>
#include <helper_cuda.h>
#include <math.h>
extern "C" void BlackScholesCPU(float *h_CallResult, float *h_PutResult, float *h_StockPrice,
                                float *h_OptionStrike, float *h_OptionYears, float Riskfree,
                                float Volatility, int optN);
__device__ inline float cndGPU(float d)
{
    const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f,
                A5 = 1.330274429f;
    const float RSQRT2PI = 0.39894228040143267793994605993438f;
    float K = __fdividef(1.0f, (1.0f + 0.2316419f * fabsf(d)));
    float cnd =
        RSQRT2PI * __expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
    if (d > 0) cnd = 1.0f - cnd;
    return cnd;
}
__device__ inline void BlackScholesBodyGPU(float &CallResult, float &PutResult, float S, float X,
                                           float T, float R, float V)
{
    float sqrtT, expRT;
    float d1, d2, CNDD1, CNDD2;
    sqrtT = __fdividef(1.0F, rsqrtf(T));
    d1 = __fdividef(__logf(S / X) + (R + 0.5f * V * V) * T, V * sqrtT);
    d2 = d1 - V * sqrtT;
    CNDD1 = cndGPU(d1);
    CNDD2 = cndGPU(d2);
    expRT = __expf(-R * T);
    CallResult = S * CNDD1 - X * expRT * CNDD2;
    PutResult = X * expRT * (1.0f - CNDD2) - S * (1.0f - CNDD1);
}
__launch_bounds__(128) __global__
    void BlackScholesGPU(float2 *__restrict d_CallResult, float2 *__restrict d_PutResult,
                         float2 *__restrict d_StockPrice, float2 *__restrict d_OptionStrike,
                         float2 *__restrict d_OptionYears, float Riskfree, float Volatility,
                         int optN)
{
    const int opt = blockDim.x * blockIdx.x + threadIdx.x;
    float callResult1, callResult2, putResult1, putResult2;
    if (opt < (optN / 2)) {
        BlackScholesBodyGPU(callResult1, putResult1, d_StockPrice[opt].x, d_OptionStrike[opt].x,
                            d_OptionYears[opt].x, Riskfree, Volatility);
        BlackScholesBodyGPU(callResult2, putResult2, d_StockPrice[opt].y, d_OptionStrike[opt].y,
                            d_OptionYears[opt].y, Riskfree, Volatility);
        d_CallResult[opt] = make_float2(callResult1, callResult2);
        d_PutResult[opt] = make_float2(putResult1, putResult2);
    }
}
// What call and put are worth together does not depend on the volatility.
__global__ void parity(int *ok, const float *c, const float *p, const float *s, const float *x,
                       const float *t, float r)
{
    int i = threadIdx.x;
    float error = c[i] - p[i] - (s[i] - x[i] * expf(-r * t[i]));
    ok[i] = fabsf(error) < 1e-3f && c[i] > 0.0f;
}
#define DIV_UP(a, b) (((a) + (b) - 1) / (b))
int main(int argc, char **argv)
{
    StopWatchInterface *hTimer = NULL;
    sdkCreateTimer(&hTimer);
    findCudaDevice(argc, (const char **)argv);
    BlackScholesGPU<<<DIV_UP((4 / 2), 128), 128>>>((float2 *)0, (float2 *)0, (float2 *)0,
                                                   (float2 *)0, (float2 *)0, 0.02f, 0.30f, 4);
    sdkDeleteTimer(&hTimer);
    exit(EXIT_SUCCESS);
}
