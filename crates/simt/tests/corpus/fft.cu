// Butterflies in shared memory: a complex FFT of 256 points per block (radix 2, bit-reversed
// input), a Walsh-Hadamard transform, and a 2-D FFT-like pass over columns.
//
//@ buffer signal f32 1024 rand 181 -1 1
//@ buffer spectrum f32 1024 empty
//@ buffer bits i32 1024 ints 182 -20 20
//@ buffer walsh i32 1024 empty
//@ buffer plane f32 512 ints 183 -20 20
//@ run fft_256 <<<2, 128>>> (signal, spectrum)
//@ count bar 18 : two blocks: one after the load, one after each of 8 stages
//@ run walsh_hadamard <<<4, 128>>> (bits, walsh)
//@ run column_butterflies <<<1, (16, 8)>>> (plane)
//@ check spectrum within 2e-5
//@ check walsh exact
//@ check plane exact

__device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ float2 operator*(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

extern "C" __global__ void fft_256(const float2 *in, float2 *out)
{
    __shared__ float2 s[256];
    int tid = threadIdx.x;
    const float2 *from = in + blockIdx.x * 256;
    s[__brev(tid) >> 24] = from[tid];
    s[__brev(tid + 128) >> 24] = from[tid + 128];
    __syncthreads();
    for (int half = 1; half < 256; half *= 2) {
        int k = tid & (half - 1);
        int i = 2 * tid - k;
        float sine, cosine;
        sincospif(-(float)k / half, &sine, &cosine);
        float2 a = s[i];
        float2 b = s[i + half] * make_float2(cosine, sine);
        s[i] = a + b;
        s[i + half] = a - b;
        __syncthreads();
    }
    out[blockIdx.x * 256 + tid] = s[tid];
    out[blockIdx.x * 256 + tid + 128] = s[tid + 128];
}

extern "C" __global__ void walsh_hadamard(const int *in, int *out)
{
    __shared__ int s[256];
    int base = blockIdx.x * 256, tid = threadIdx.x;
    s[tid] = in[base + tid];
    s[tid + 128] = in[base + tid + 128];
    for (int h = 1; h < 256; h <<= 1) {
        __syncthreads();
        int i = (tid / h) * 2 * h + tid % h;
        int a = s[i], b = s[i + h];
        s[i] = a + b;
        s[i + h] = a - b;
    }
    __syncthreads();
    out[base + tid] = s[tid];
    out[base + tid + 128] = s[tid + 128];
}

// 16 columns of 16 complex numbers; sums and differences down the columns, in place.
extern "C" __global__ void column_butterflies(float2 *plane)
{
    int x = threadIdx.x;
    for (int h = 8; h >= 1; h /= 2) {
        int y = (threadIdx.y / h) * 2 * h + threadIdx.y % h;
        float2 a = plane[y * 16 + x], b = plane[(y + h) * 16 + x];
        plane[y * 16 + x] = a + b;
        plane[(y + h) * 16 + x] = a - b;
        __syncthreads();
    }
}
