// FIR filtering at the speed of the multipliers: a stretch beyond exercise 2.1.10.
//
// fir5 pays one load from shared memory for every multiplication. Here a thread computes R
// neighbouring outputs. At tap k they need the samples i-k .. i-k+R-1, and all but one of these
// served tap k-1 as well: a window of samples slides through registers. Four taps cost one 16-byte
// load of samples and 4 R multiplications.
//
// The coefficients are the same for all threads. From constant memory they come to registers that a
// warp has once, so a multiply-add reads two registers of its own lane, not three, and fewer of
// them lie in the same bank of the register file.
//
// The window turns in place: sample s lives in slot s mod W, and W taps are unrolled, so every slot
// number is a constant. Neighbouring threads start R = 16 samples apart, which would put four lanes
// of a quarter warp on the same banks. Four words of padding behind every 16 samples move them
// apart: with stride 20 the window's 16-byte loads are free of conflicts.
//
// Launch: coefficient k of order n in `taps[k]`, n < MAX_TAPS; grid
//         (ceil(len / (THREADS * R)), channels), block THREADS, dynamic shared memory of
//         4 * PADDED(history + THREADS * R) bytes, where history = n + 1 rounded up to a multiple
//         of W. Samples are copied 16 bytes at a time if len is a multiple of 4.

#ifndef THREADS
#define THREADS 256
#endif
#define R 16
#define W 64
#define PADDED(i) ((i) + (i) / R * 4)
#define MAX_TAPS 2048

__constant__ float taps[MAX_TAPS];

extern "C" __global__ void __launch_bounds__(THREADS)
audiofir_fast(float *yout, const float *yin, int n, int len)
{
    extern __shared__ float4 shared[];
    const int history = (n + W) / W * W;
    float *x = (float *)shared;    // history, then the samples of the block's outputs

    const float *in = yin + (size_t)blockIdx.y * len;
    float *out = yout + (size_t)blockIdx.y * len;
    const int first = blockIdx.x * (THREADS * R);    // first output of the block
    const int t = threadIdx.x;
    // Then a channel begins on 16 bytes, and four samples from a multiple of 4 on are all in it or
    // all outside.
    const bool fours = len % 4 == 0;

    for (int i = 4 * t; i < history + THREADS * R; i += 4 * THREADS) {
        const int s = first - history + i;
        float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (fours && s >= 0 && s < len) v = *(const float4 *)(in + s);
        if (!fours) {
            if (s >= 0 && s < len) v.x = in[s];
            if (s + 1 >= 0 && s + 1 < len) v.y = in[s + 1];
            if (s + 2 >= 0 && s + 2 < len) v.z = in[s + 2];
            if (s + 3 >= 0 && s + 3 < len) v.w = in[s + 3];
        }
        *(float4 *)(x + PADDED(i)) = v;
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

    int at = 0;
    for (; at + W <= n + 1; at += W) {
#pragma unroll
        for (int k = 0; k < W; k += 4) {
            // Samples -k-4 .. -k-1; the padding in between is that of the 16s begun.
            const int back = k + 4, slot = W - back;
            const float4 v = *(const float4 *)(here - back - (back + R - 1) / R * 4);
            w[slot] = v.x; w[slot + 1] = v.y; w[slot + 2] = v.z; w[slot + 3] = v.w;
#pragma unroll
            for (int j = 0; j < 4; j++)
#pragma unroll
                for (int r = 0; r < R; r++) acc[r] += w[(W + r - k - j) % W] * taps[at + k + j];
        }
        here -= PADDED(W);
    }
    // The last taps, fewer than W, one by one.
    for (int k = 0; at + k <= n; k++) {
        const float tap = taps[at + k];
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
    for (int i = 4 * t; i < THREADS * R && first + i < len; i += 4 * THREADS) {
        const float4 v = *(const float4 *)(x + PADDED(i));
        float *to = out + first + i;
        if (fours) {
            *(float4 *)to = v;
        } else {
            to[0] = v.x;
            if (first + i + 1 < len) to[1] = v.y;
            if (first + i + 2 < len) to[2] = v.z;
            if (first + i + 3 < len) to[3] = v.w;
        }
    }
}
