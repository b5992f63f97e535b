// Kernels with grids that fill a GPU, for predicted against measured times. The header is that of
// the corpus (crates/simt/tests/support/case.rs).
//
//@ buffer a f32 33554432 rand 1 -1 1
//@ buffer b f32 33554432 rand 2 -1 1
//@ buffer c f32 33554432 zero
//@ buffer keys i32 16777216 ints 3 0 255
//@ buffer places i32 4194304 ints 4 0 33554431
//@ buffer bins i32 256 zero
//@ buffer d f64 4194304 rand 5 -1 1
//@ buffer e f64 4194304 zero
//@ run add <<<131072, 256>>> (a, b, c, 33554432)
//@ run add <<<32768, 1024>>> (a, b, c, 33554432)
//@ run add <<<16384, 256>>> (a, b, c, 4194304)
//@ run add <<<1024, 256>>> (a, b, c, 262144)
//@ run add <<<16, 256>>> (a, b, c, 4096)
//@ run add_wide <<<32768, 256>>> (a, b, c, 8388608)
//@ run add_loop <<<1056, 256>>> (a, b, c, 33554432)
//@ run axpy_double <<<16384, 256>>> (d, e, 4194304)
//@ run take_every <<<16384, 256>>> (a, c, 4194304, 2)
//@ run take_every <<<16384, 256>>> (a, c, 4194304, 8)
//@ run gather <<<16384, 256>>> (a, places, c, 4194304)
//@ run transpose_naive <<<(128, 512), (32, 8)>>> (a, c, 4096)
//@ run transpose_tiled <<<(128, 128), (32, 8)>>> (a, c, 4096)
//@ run transpose_padded <<<(128, 128), (32, 8)>>> (a, c, 4096)
//@ run matmul_naive <<<(64, 64), (16, 16)>>> (a, b, c, 1024)
//@ run matmul_tiled <<<(64, 64), (16, 16)>>> (a, b, c, 1024)
//@ run matmul_double <<<(32, 32), (16, 16)>>> (d, d, e, 512)
//@ run sum_blocks <<<65536, 256>>> (a, c, 16777216)
//@ run sum_warps <<<2112, 256>>> (a, c, 33554432)
//@ run histogram_global <<<65536, 256>>> (keys, bins, 16777216)
//@ run histogram_shared <<<1056, 256>>> (keys, bins, 16777216)
//@ run count_positive <<<16384, 256>>> (a, bins, 4194304)
//@ run heat_2d <<<(128, 512), (32, 8)>>> (a, c, 4096)
//@ run heat_3d <<<(8, 32, 256), (32, 8)>>> (a, c, 256)
//@ run fir <<<4096, 256>>> (b, a, c, 1048576, 129)
//@ run fir_tiled <<<4096, 256>>> (b, a, c, 1048576)
//@ run n_body <<<64, 128>>> (a, c, 8192)
//@ run mandelbrot <<<(64, 128), (16, 8)>>> (keys, 1024, 256)
//@ run exponentials <<<16384, 256>>> (a, c, 4194304)
//@ run conflicts <<<1056, 256>>> (c, 32)
//@ run conflicts <<<1056, 256>>> (c, 33)
//@ run one_block <<<1, 1024>>> (a, c, 1048576)

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void add_wide(const float4 *a, const float4 *b, float4 *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 x = a[i], y = b[i];
        c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    }
}

__global__ void add_loop(const float *a, const float *b, float *c, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        c[i] = a[i] + b[i];
}

__global__ void axpy_double(const double *x, double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 0.5 * x[i] + y[i];
}

__global__ void take_every(const float *a, float *c, int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i * stride];
}

__global__ void gather(const float *a, const int *places, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[places[i]];
}

__global__ void transpose_naive(const float *a, float *c, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    c[x * n + y] = a[y * n + x];
}

template <int PAD>
__device__ void transpose_through(const float *a, float *c, int n)
{
    __shared__ float tile[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        c[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void transpose_tiled(const float *a, float *c, int n) { transpose_through<0>(a, c, n); }
__global__ void transpose_padded(const float *a, float *c, int n) { transpose_through<1>(a, c, n); }

__global__ void matmul_naive(const float *a, const float *b, float *c, int n)
{
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

__global__ void matmul_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[16][16], tb[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        ta[ty][tx] = a[row * n + t + tx];
        tb[ty][tx] = b[(t + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            sum += ta[ty][k] * tb[k][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

__global__ void matmul_double(const double *a, const double *b, double *c, int n)
{
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    double sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

__global__ void sum_blocks(const float *a, float *c, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? a[i] : 0.0f;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0)
        c[blockIdx.x] = s[0];
}

__global__ void sum_warps(const float *a, float *c, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += a[i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0)
        c[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = sum;
}

__global__ void histogram_global(const int *keys, int *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[keys[i] & 255], 1);
}

__global__ void histogram_shared(const int *keys, int *bins, int n)
{
    __shared__ int part[256];
    part[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&part[keys[i] & 255], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], part[threadIdx.x]);
}

__global__ void count_positive(const float *a, int *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] > 0)
        atomicAdd(&bins[0], 1);
}

__global__ void heat_2d(const float *a, float *c, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
        int i = y * n + x;
        c[i] = a[i] + 0.1f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n] - 4.0f * a[i]);
    }
}

__global__ void heat_3d(const float *a, float *c, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
    if (x > 0 && y > 0 && z > 0 && x < n - 1 && y < n - 1 && z < n - 1) {
        int i = (z * n + y) * n + x;
        c[i] = a[i] + 0.1f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - n * n] +
                              a[i + n * n] - 6.0f * a[i]);
    }
}

__global__ void fir(const float *h, const float *x, float *y, int n, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (i < n) {
        for (int k = 0; k < taps; ++k)
            sum += h[k] * x[i + k];
        y[i] = sum;
    }
}

__global__ void fir_tiled(const float *h, const float *x, float *y, int n)
{
    __shared__ float part[256 + 128], taps[129];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    part[t] = x[i];
    if (t < 128)
        part[256 + t] = x[i + 256];
    if (t < 129)
        taps[t] = h[t];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 129; ++k)
        sum += taps[k] * part[t + k];
    if (i < n)
        y[i] = sum;
}

__global__ void n_body(const float4 *bodies, float4 *forces, int n)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 me = bodies[i];
    float fx = 0, fy = 0, fz = 0;
    for (int t = 0; t < n; t += 128) {
        tile[threadIdx.x] = bodies[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; ++k) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float weight = tile[k].w * inverse * inverse * inverse;
            fx += dx * weight;
            fy += dy * weight;
            fz += dz * weight;
        }
        __syncthreads();
    }
    forces[i] = make_float4(fx, fy, fz, 0);
}

__global__ void mandelbrot(int *out, int n, int steps)
{
    int px = blockIdx.x * 16 + threadIdx.x, py = blockIdx.y * 8 + threadIdx.y;
    float cx = -2.0f + 3.0f * px / n, cy = -1.5f + 3.0f * py / n, x = 0, y = 0;
    int k = 0;
    while (k < steps && x * x + y * y < 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        ++k;
    }
    out[py * n + px] = k;
}

__global__ void exponentials(const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = a[i];
        for (int k = 0; k < 16; ++k)
            v = expf(-v * v);
        c[i] = v;
    }
}

__global__ void conflicts(float *c, int stride)
{
    __shared__ float s[33 * 32];
    int t = threadIdx.x;
    for (int i = t; i < 33 * 32; i += 256)
        s[i] = i;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 256; ++k)
        sum += s[(t % 32 * stride + (k ^ int(sum < 0))) % (33 * 32)];
    c[blockIdx.x * 256 + t] = sum;
}

__global__ void one_block(const float *a, float *c, int n)
{
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 1024)
        sum += a[i];
    c[threadIdx.x] = sum;
}
