// FIR filtering by overlap-save in one kernel: a stretch beyond exercise 2.1.11.
//
// A block takes 4096 neighbouring samples of two channels as one complex sequence (the filter is
// real, so the channels stay apart), transforms it, multiplies it by the filter's spectrum,
// transforms it back, and stores the 4096 - n samples that the ends of the piece do not reach.
// Nothing but samples and outputs goes through global memory; the spectrum comes from the L2 cache.
//
// 4096 = 16 * 16 * 16: 256 threads hold 16 points each in registers, and three transforms of 16
// with two exchanges between them make the whole one. With sample 256 a + 16 b + c and frequency
// k + 16 l + 256 m,
//
//     thread 16 b + c   over a, makes k    times w_4096^(k (16 b + c))
//     thread 16 k + c   over b, makes l    times w_256^(l c)
//     thread 16 k + l   over c, makes m
//
// The frequencies stay where they are, each thread with its 16: the spectrum lies in the same
// order, and the way back goes through the same steps from the last to the first. The second
// exchange is one among 16 threads, so the warp waits, not the block. A transform back is one
// forth with real and imaginary parts exchanged before and after it.
//
// A sample that is no number spoils all outputs of its block, in both channels.
//
// Launch: audiofir_spectrum, one block of 256 threads, once for each filter; then audiofir_fft,
//         grid (ceil(len / (4096 - n)), ceil(channels / 2)), block 256; n is less than 4096.

#define FFT_POINTS 4096
#define FFT_THREADS 256
// Rows of shared memory: w_256's exchange goes through rows of 16 with one word of padding.
#define FFT_ROW (16 * 17)
#ifndef FFT_MIN_BLOCKS
#define FFT_MIN_BLOCKS 2
#endif

struct Exchange {
    float re[16 * FFT_ROW];
    float im[16 * FFT_ROW];
};

static __device__ __forceinline__ float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// The transform of a, b, c, d, in place.
static __device__ __forceinline__ void transform4(float2 &a, float2 &b, float2 &c, float2 &d)
{
    const float2 s = make_float2(a.x + c.x, a.y + c.y), t = make_float2(a.x - c.x, a.y - c.y);
    const float2 u = make_float2(b.x + d.x, b.y + d.y), v = make_float2(b.x - d.x, b.y - d.y);
    a = make_float2(s.x + u.x, s.y + u.y);
    b = make_float2(t.x + v.y, t.y - v.x);
    c = make_float2(s.x - u.x, s.y - u.y);
    d = make_float2(t.x - v.y, t.y + v.x);
}

// The transform of 16 points, in place: columns of 4, then rows of 4.
static __device__ __forceinline__ void transform16(float2 *v)
{
    // cos and -sin of 2 pi i / 16.
    const float re[10] = {1.0f, 0.923879533f, 0.707106781f, 0.382683432f, 0.0f,
                          -0.382683432f, -0.707106781f, -0.923879533f, -1.0f, -0.923879533f};
    const float im[10] = {0.0f, -0.382683432f, -0.707106781f, -0.923879533f, -1.0f,
                          -0.923879533f, -0.707106781f, -0.382683432f, 0.0f, 0.382683432f};
    float2 u[16];
#pragma unroll
    for (int j = 0; j < 4; j++) {
        transform4(v[j], v[j + 4], v[j + 8], v[j + 12]);
#pragma unroll
        for (int k = 0; k < 4; k++)
            u[4 * k + j] = times(v[j + 4 * k], make_float2(re[j * k], im[j * k]));
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        transform4(u[4 * k], u[4 * k + 1], u[4 * k + 2], u[4 * k + 3]);
#pragma unroll
        for (int m = 0; m < 4; m++) v[k + 4 * m] = u[4 * k + m];
    }
}

// v[i] *= w^i.
static __device__ __forceinline__ void twiddle(float2 *v, float2 w)
{
    float2 power[16];
    power[1] = w;
    v[1] = times(v[1], w);
#pragma unroll
    for (int i = 2; i < 16; i++) {
        power[i] = times(power[i / 2], power[i - i / 2]);
        v[i] = times(v[i], power[i]);
    }
}

// Points `at`, `at + step`, ... to shared memory, and from there.
static __device__ __forceinline__ void put(Exchange &shared, const float2 *v, int at, int step)
{
#pragma unroll
    for (int i = 0; i < 16; i++) {
        shared.re[at + i * step] = v[i].x;
        shared.im[at + i * step] = v[i].y;
    }
}

static __device__ __forceinline__ void take(const Exchange &shared, float2 *v, int at, int step)
{
#pragma unroll
    for (int i = 0; i < 16; i++)
        v[i] = make_float2(shared.re[at + i * step], shared.im[at + i * step]);
}

// e^(-2 pi i t / 4096) and, for the second exchange, of t mod 16 of 256.
static __device__ __forceinline__ void roots(int t, float2 &w, float2 &inner)
{
    sincospif(-t / 2048.0f, &w.y, &w.x);
    sincospif(-(t % 16) / 128.0f, &inner.y, &inner.x);
}

// From samples t, t + 256, ... to frequencies t / 16 + 16 (t % 16) + 256 m.
static __device__ __forceinline__ void
forth(Exchange &shared, float2 *v, int t, float2 w, float2 inner)
{
    const int row = t / 16 * FFT_ROW, lane = t % 16;
    transform16(v);
    twiddle(v, w);
    put(shared, v, t, FFT_ROW);
    __syncthreads();
    take(shared, v, row + lane, 16);
    transform16(v);
    twiddle(v, inner);
    __syncwarp();
    put(shared, v, row + lane, 17);
    __syncwarp();
    take(shared, v, row + 17 * lane, 1);
    transform16(v);
}

// From frequencies t / 16 + 16 (t % 16) + 256 m to points t, t + 256, ...
static __device__ __forceinline__ void
onward(Exchange &shared, float2 *v, int t, float2 w, float2 inner)
{
    const int row = t / 16 * FFT_ROW, lane = t % 16;
    transform16(v);
    twiddle(v, inner);
    __syncwarp();
    put(shared, v, row + 17 * lane, 1);
    __syncwarp();
    take(shared, v, row + lane, 17);
    transform16(v);
    __syncwarp();
    put(shared, v, row + lane, 16);
    __syncthreads();
    take(shared, v, t, FFT_ROW);
    twiddle(v, w);
    transform16(v);
}

// The transform of the n + 1 coefficients over 4096, in the order of the threads.
extern "C" __global__ void __launch_bounds__(FFT_THREADS)
audiofir_spectrum(float2 *spectrum, const float *coeff, int n)
{
    __shared__ Exchange shared;
    const int t = threadIdx.x;
    float2 v[16], w, inner;
    roots(t, w, inner);
#pragma unroll
    for (int i = 0; i < 16; i++) {
        const int k = t + FFT_THREADS * i;
        v[i] = make_float2(k <= n ? coeff[k] / FFT_POINTS : 0.0f, 0.0f);
    }
    forth(shared, v, t, w, inner);
#pragma unroll
    for (int i = 0; i < 16; i++) spectrum[t + FFT_THREADS * i] = v[i];
}

extern "C" __global__ void __launch_bounds__(FFT_THREADS, FFT_MIN_BLOCKS)
audiofir_fft(float *yout, const float *yin, const float2 *spectrum, int n, int len, int channels)
{
    __shared__ Exchange shared;
    const int t = threadIdx.x, channel = 2 * blockIdx.y;
    const bool both = channel + 1 < channels;
    const int before = blockIdx.x * (FFT_POINTS - n) - n;    // the sample that is point 0
    const float *in = yin + (size_t)channel * len;
    float *out = yout + (size_t)channel * len;

    float2 v[16], w, inner;
#pragma unroll
    for (int i = 0; i < 16; i++) {
        const int s = before + t + FFT_THREADS * i;
        const bool inside = s >= 0 && s < len;
        v[i] = make_float2(inside ? in[s] : 0.0f, inside && both ? in[len + s] : 0.0f);
    }
    roots(t, w, inner);
    forth(shared, v, t, w, inner);
#pragma unroll
    for (int i = 0; i < 16; i++) {
        const float2 product = times(v[i], spectrum[t + FFT_THREADS * i]);
        v[i] = make_float2(product.y, product.x);
    }
    onward(shared, v, t, w, inner);
#pragma unroll
    for (int i = 0; i < 16; i++) {
        const int point = t + FFT_THREADS * i, s = before + point;
        if (point < n || s >= len) continue;
        out[s] = v[i].y;
        if (both) out[len + s] = v[i].x;
    }
}
