// Kernels for predicted against measured times, as in large.cu, that no constant of the predictor
// was fitted to: they were chosen before the model was changed. The header is that of the corpus
// (crates/simt/tests/support/case.rs).
//
//@ buffer a f32 33554432 rand 11 -1 1
//@ buffer b f32 33554432 rand 12 0 1
//@ buffer c f32 33554432 zero
//@ buffer places i32 4194304 ints 13 0 4194303
//@ buffer near i32 4194304 ints 14 0 8191
//@ buffer next i32 65536 ints 15 0 65535
//@ buffer d f64 4194304 rand 16 -1 1
//@ run copy <<<65536, 512>>> (a, c, 33554432)
//@ run copy_wide <<<8192, 256>>> (a, c, 2097152)
//@ run scale <<<32768, 128>>> (c, 4194304)
//@ run smooth <<<65536, 256>>> (a, c, 16777216)
//@ run scatter <<<16384, 256>>> (a, places, c, 4194304)
//@ run look_up <<<16384, 256>>> (b, near, c, 4194304)
//@ run triples <<<16384, 256>>> (a, c, 4194304)
//@ run matvec_threads <<<32, 128>>> (a, b, c, 4096)
//@ run matvec_warps <<<512, 256>>> (a, b, c, 4096)
//@ run matmul_blocks <<<(16, 16), (16, 16)>>> (a, b, c, 1024)
//@ run convolve <<<(64, 128), (32, 16)>>> (a, c, 2048)
//@ run scan_blocks <<<16384, 256>>> (a, c)
//@ run sort_blocks <<<4096, 256>>> (a, c)
//@ run dot <<<1056, 256>>> (a, b, c, 33554432)
//@ run divisions <<<16384, 256>>> (b, c, 4194304)
//@ run roots <<<16384, 256>>> (b, c, 4194304)
//@ run polynomial <<<8192, 256>>> (b, c, 2097152)
//@ run polynomial_double <<<8192, 256>>> (d, 2097152)
//@ run march <<<(8, 32), (32, 8)>>> (a, c, 256)
//@ run chase <<<1, 32>>> (next, places, 2000)

__global__ void copy(const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i];
}

__global__ void copy_wide(const float4 *a, float4 *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i];
}

__global__ void scale(float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] *= 0.5f;
}

__global__ void smooth(const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 4 && i < n - 4) {
        float sum = 0;
        for (int k = -4; k <= 4; ++k)
            sum += a[i + k];
        c[i] = sum * (1.0f / 9);
    }
}

__global__ void scatter(const float *a, const int *places, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[places[i]] = a[i];
}

__global__ void look_up(const float *table, const int *near, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = table[near[i]];
}

__global__ void triples(const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[3 * i] * a[3 * i] + a[3 * i + 1] * a[3 * i + 1] + a[3 * i + 2] * a[3 * i + 2];
}

__global__ void matvec_threads(const float *a, const float *x, float *y, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * x[k];
    y[row] = sum;
}

__global__ void matvec_warps(const float *a, const float *x, float *y, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int k = lane; k < n; k += 32)
        sum += a[row * n + k] * x[k];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0)
        y[row] = sum;
}

// 64 x 64 results a block, 4 x 4 a thread.
__global__ void matmul_blocks(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[16][64 + 1], tb[16][64];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    int row = blockIdx.y * 64, col = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int j = 0; j < 4; ++j) {
            ta[tx][ty + 16 * j] = a[(row + ty + 16 * j) * n + k0 + tx];
            tb[t / 64 + 4 * j][t % 64] = b[(k0 + t / 64 + 4 * j) * n + col + t % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    sum[i][j] += ta[k][ty + 16 * i] * tb[k][tx + 16 * j];
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            c[(row + ty + 16 * i) * n + col + tx + 16 * j] = sum[i][j];
}

__constant__ float weights[25] = {1,  4,  6, 4, 1,  4, 16, 24, 16, 4, 6, 24, 36,
                                  24, 6, 4,  16, 24, 16, 4, 1,  4,  6, 4, 1};

__global__ void convolve(const float *a, float *c, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < 2 || y < 2 || x >= n - 2 || y >= n - 2)
        return;
    float sum = 0;
    for (int j = 0; j < 5; ++j)
        for (int i = 0; i < 5; ++i)
            sum += weights[5 * j + i] * a[(y + j - 2) * n + x + i - 2];
    c[y * n + x] = sum * (1.0f / 256);
}

__global__ void scan_blocks(const float *a, float *c)
{
    __shared__ float s[2][256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, from = 0;
    s[0][t] = a[i];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        s[1 - from][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
        from = 1 - from;
        __syncthreads();
    }
    c[i] = s[from][t];
}

__global__ void sort_blocks(const float *a, float *c)
{
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = a[i];
    __syncthreads();
    for (int size = 2; size <= 256; size *= 2)
        for (int d = size / 2; d > 0; d /= 2) {
            int other = t ^ d;
            if (other > t && (s[t] > s[other]) == ((t & size) == 0)) {
                float x = s[t];
                s[t] = s[other];
                s[other] = x;
            }
            __syncthreads();
        }
    c[i] = s[t];
}

__global__ void dot(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[256];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += a[i] * b[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(c, s[0]);
}

__global__ void divisions(const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = b[i];
        for (int k = 0; k < 16; ++k)
            v = (v + 1.0f) / (v + 2.0f);
        c[i] = v;
    }
}

__global__ void roots(const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = b[i];
        for (int k = 0; k < 8; ++k)
            v = sqrtf(v + 0.5f) + sinf(v);
        c[i] = v;
    }
}

__global__ void polynomial(const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = b[i], v = 0;
        for (int k = 0; k < 256; ++k)
            v = v * x + 0.5f;
        c[i] = v;
    }
}

__global__ void polynomial_double(double *d, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double x = d[i], v = 0;
        for (int k = 0; k < 256; ++k)
            v = v * x + 0.5;
        d[i] = v;
    }
}

// A column a thread; the planes before and behind stay in registers.
__global__ void march(const float *a, float *c, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x == 0 || y == 0 || x == n - 1 || y == n - 1)
        return;
    int plane = n * n, i = y * n + x;
    float before = a[i], here = a[i + plane];
    for (int z = 1; z < n - 1; ++z) {
        i += plane;
        float behind = a[i + plane];
        float around = a[i - 1] + a[i + 1] + a[i - n] + a[i + n];
        c[i] = here + 0.1f * (around + before + behind - 6.0f * here);
        before = here;
        here = behind;
    }
}

__global__ void chase(const int *next, int *out, int steps)
{
    int at = threadIdx.x;
    for (int k = 0; k < steps; ++k)
        at = next[at];
    out[threadIdx.x] = at;
}
