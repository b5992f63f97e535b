// Prefix sums of one block: Hillis-Steele with two buffers, Blelloch's up and down sweep, the same
// without bank conflicts.
//
//@ buffer x i32 512 ints 51 -9 9
//@ buffer inclusive i32 512 empty
//@ buffer exclusive i32 512 empty
//@ buffer padded i32 512 empty
//@ run scan_hillis_steele <<<1, 512, 4096>>> (x, inclusive)
//@ count bar 10 : one after the load, one per step of 9
//@ run scan_blelloch <<<1, 256>>> (x, exclusive)
//@ count bar 19 : 9 up, 9 down, one at the end
//@ run scan_blelloch_padded <<<1, 256>>> (x, padded)
//@ check inclusive exact
//@ check exclusive exact
//@ check padded exact

extern "C" __global__ void scan_hillis_steele(const int *in, int *out)
{
    extern __shared__ int buffers[];
    int n = blockDim.x;
    int tid = threadIdx.x;
    int current = 0;
    buffers[tid] = in[tid];
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        int from = current * n, to = (1 - current) * n;
        if (tid >= offset)
            buffers[to + tid] = buffers[from + tid] + buffers[from + tid - offset];
        else
            buffers[to + tid] = buffers[from + tid];
        current = 1 - current;
        __syncthreads();
    }
    out[tid] = buffers[current * n + tid];
}

extern "C" __global__ void scan_blelloch(const int *in, int *out)
{
    __shared__ int s[512];
    int tid = threadIdx.x;
    int n = 512;
    s[2 * tid] = in[2 * tid];
    s[2 * tid + 1] = in[2 * tid + 1];
    int offset = 1;
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (tid < d) {
            int ai = offset * (2 * tid + 1) - 1;
            int bi = offset * (2 * tid + 2) - 1;
            s[bi] += s[ai];
        }
        offset *= 2;
    }
    if (tid == 0)
        s[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (tid < d) {
            int ai = offset * (2 * tid + 1) - 1;
            int bi = offset * (2 * tid + 2) - 1;
            int t = s[ai];
            s[ai] = s[bi];
            s[bi] += t;
        }
    }
    __syncthreads();
    out[2 * tid] = s[2 * tid];
    out[2 * tid + 1] = s[2 * tid + 1];
}

#define LOG_BANKS 5
#define PAD(i) ((i) + ((i) >> LOG_BANKS))

extern "C" __global__ void scan_blelloch_padded(const int *in, int *out)
{
    __shared__ int s[512 + 512 / 32];
    int tid = threadIdx.x;
    int n = 512;
    int lower = tid, upper = tid + n / 2;
    s[PAD(lower)] = in[lower];
    s[PAD(upper)] = in[upper];
    int offset = 1;
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (tid < d) {
            int ai = PAD(offset * (2 * tid + 1) - 1);
            int bi = PAD(offset * (2 * tid + 2) - 1);
            s[bi] += s[ai];
        }
        offset *= 2;
    }
    if (tid == 0)
        s[PAD(n - 1)] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (tid < d) {
            int ai = PAD(offset * (2 * tid + 1) - 1);
            int bi = PAD(offset * (2 * tid + 2) - 1);
            int t = s[ai];
            s[ai] = s[bi];
            s[bi] += t;
        }
    }
    __syncthreads();
    out[lower] = s[PAD(lower)];
    out[upper] = s[PAD(upper)];
}
