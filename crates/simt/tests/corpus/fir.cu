// FIR filter, y[i] = sum over k of c[k] x[i + k]: plain, coefficients in constant memory, tiled,
// and unrolled by template. The input is longer than the output by the number of coefficients minus
// 1.
//
//@ buffer c f32 33 rand 101 -1 1
//@ buffer x f32 1056 rand 102 -1 1
//@ buffer plain f32 1024 empty
//@ buffer constant f32 1024 empty
//@ buffer tiled f32 1024 empty
//@ buffer unrolled f32 1024 empty
//@ symbol coeff f32 64 rand 101 -1 1
//@ run fir_plain <<<4, 256>>> (c, x, plain, 33, 1024)
//@ count gld_req 2112 : 32 warps, 33 taps, coefficient and sample
//@ count gld_sec 6176 : per warp 33 for the coefficients; 33 shifts of 5 sectors, of 4 for the 5 aligned ones: 160
//@ count flop 67584 : 1024 outputs, 33 taps, two each
//@ run fir_constant <<<4, 256>>> (x, constant, 33, 1024)
//@ count gld_req 1056 : the samples only
//@ count gld_sec 5120 : 33 * 5 - 5 per warp
//@ run fir_tiled <<<4, 256>>> (x, tiled, 33, 1024)
//@ run fir_unrolled<33> <<<4, 256>>> (x, unrolled, 1024)
//@ check plain exact
//@ check constant exact
//@ check tiled exact
//@ check unrolled exact

__constant__ float coeff[64];

extern "C" __global__ void fir_plain(const float *c, const float *x, float *y, int taps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < taps; ++k)
        sum += c[k] * x[i + k];
    y[i] = sum;
}

extern "C" __global__ void fir_constant(const float *x, float *y, int taps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < taps; ++k)
        sum += coeff[k] * x[i + k];
    y[i] = sum;
}

extern "C" __global__ void fir_tiled(const float *x, float *y, int taps, int n)
{
    __shared__ float tile[256 + 63];
    int first = blockIdx.x * blockDim.x;
    for (int j = threadIdx.x; j < blockDim.x + taps - 1; j += blockDim.x)
        tile[j] = x[first + j];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < taps; ++k)
        sum += coeff[k] * tile[threadIdx.x + k];
    y[first + threadIdx.x] = sum;
}

template <int TAPS>
__global__ void fir_unrolled(const float *x, float *y, int n)
{
    __shared__ float tile[256 + TAPS - 1];
    int first = blockIdx.x * 256;
    tile[threadIdx.x] = x[first + threadIdx.x];
    if (threadIdx.x < TAPS - 1)
        tile[256 + threadIdx.x] = x[first + 256 + threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < TAPS; ++k)
        sum += coeff[k] * tile[threadIdx.x + k];
    y[first + threadIdx.x] = sum;
}
template __global__ void fir_unrolled<33>(const float *, float *, int);
