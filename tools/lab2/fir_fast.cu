// FIR filtering at the speed of the multipliers: a stretch beyond exercise 2.1.10.
//
// fir5 pays one load from shared memory for every multiplication. Here a thread computes R
// neighbouring outputs. At tap k they need the samples i-k .. i-k+R-1, and all but one of these
// served tap k-1 as well: a window of samples slides through registers. Four taps cost one 16-byte
// load of samples, one of coefficients, and 4 R multiplications.
//
// The window turns in place: sample s lives in slot s mod W, and W taps are unrolled, so every slot
// number is a constant. Neighbouring threads start R = 16 samples apart, which would put four lanes
// of a quarter warp on the same banks. Four words of padding behind every 16 samples move them
// apart: with stride 20 all 16-byte loads are free of conflicts.
//
// Launch: grid (ceil(len / (THREADS * R)), channels), block THREADS, dynamic shared memory of
//         4 * (PADDED(history + THREADS * R) + history) bytes, where history = n + 1 rounded up to
//         a multiple of W.

#ifndef THREADS
#define THREADS 128
#endif
#define R 16
#define W 32
#define PADDED(i) ((i) + (i) / R * 4)

extern "C" __global__ void __launch_bounds__(THREADS)
audiofir_fast(float *yout, const float *yin, const float *coeff, int n, int len)
{
    extern __shared__ float4 shared[];
    const int history = (n + W) / W * W;
    // history, then the samples of the block's outputs
    float *x = (float *)shared;
    float *h = x + PADDED(history + THREADS * R);    // coefficients

    const float *in = yin + (size_t)blockIdx.y * len;
    float *out = yout + (size_t)blockIdx.y * len;
    const int first = blockIdx.x * (THREADS * R);    // first output of the block
    const int t = threadIdx.x;

    for (int i = t; i <= n; i += THREADS) h[i] = coeff[i];
    for (int i = t; i < history + THREADS * R; i += THREADS) {
        const int s = first - history + i;
        x[PADDED(i)] = s >= 0 && s < len ? in[s] : 0.0f;
    }
    __syncthreads();

    float acc[R], w[W];
#pragma unroll
    for (int r = 0; r < R; r++) acc[r] = 0.0f;

    // Sample 0 of the window is that of the thread's first output.
    const float *here = x + PADDED(history + t * R);
#pragma unroll
    for (int r = 0; r < R; r += 4) {
        const float4 v = *(const float4 *)(here + r);
        w[r] = v.x; w[r + 1] = v.y; w[r + 2] = v.z; w[r + 3] = v.w;
    }

    int left = n + 1;
    for (; left >= W; left -= W) {
#pragma unroll
        for (int k = 0; k < W; k += 4) {
            // Samples -k-4 .. -k-1; the padding in between is that of the 16s begun.
            const int back = k + 4, slot = W - back;
            const float4 v = *(const float4 *)(here - back - (back + R - 1) / R * 4);
            w[slot] = v.x; w[slot + 1] = v.y; w[slot + 2] = v.z; w[slot + 3] = v.w;
            const float4 c = *(const float4 *)(h + k);
            const float tap[4] = {c.x, c.y, c.z, c.w};
#pragma unroll
            for (int j = 0; j < 4; j++)
#pragma unroll
                for (int r = 0; r < R; r++) acc[r] += w[(W + r - k - j) % W] * tap[j];
        }
        here -= PADDED(W);
        h += W;
    }
    // The last taps, fewer than W, one by one.
    for (int k = 0; k < left; k++) {
        const float tap = h[k];
#pragma unroll
        for (int r = R - 1; r >= 0; r--) {
            acc[r] += w[r] * tap;
            if (r > 0) w[r] = w[r - 1];
        }
        w[0] = here[-1 - k - (k + R) / R * 4];
    }

    // Through shared memory, so that neighbouring lanes store neighbouring outputs.
    __syncthreads();
#pragma unroll
    for (int r = 0; r < R; r += 4) {
        *(float4 *)(x + PADDED(t * R) + r) =
            make_float4(acc[r], acc[r + 1], acc[r + 2], acc[r + 3]);
    }
    __syncthreads();
    for (int i = t; i < THREADS * R && first + i < len; i += THREADS) out[first + i] = x[PADDED(i)];
}
