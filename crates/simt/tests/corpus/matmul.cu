// Matrix products: one dot product per thread, square tiles by template, tiles with ragged edges,
// and a register block per thread. Row-major; x runs along columns.
//
//@ buffer a f32 4096 ints 71 -4 4
//@ buffer b f32 4096 ints 72 -4 4
//@ buffer naive f32 4096 empty
//@ buffer tiled8 f32 4096 empty
//@ buffer tiled16 f32 4096 empty
//@ buffer ra f32 1000 ints 73 -4 4
//@ buffer rb f32 1500 ints 74 -4 4
//@ buffer ragged f32 600 empty
//@ buffer blocked f32 4096 empty
//@ run matmul_naive <<<(4, 4), (16, 16)>>> (a, b, naive, 64)
//@ count flop 524288 : 64^3 multiplications and additions
//@ count gld_req 16384 : 128 warps, 64 steps, two loads
//@ count gld_sec 32768 : a: one word in each of two rows, 2 sectors; b: the same 16 words of one row for both halves, 2 sectors; 8192 of each
//@ run matmul_tiled<8> <<<(8, 8), (8, 8)>>> (a, b, tiled8, 64)
//@ run matmul_tiled<16> <<<(4, 4), (16, 16)>>> (a, b, tiled16, 64)
//@ count gld_req 1024 : 128 warps, 4 tiles, two loads
//@ count gld_sec 4096 : two half rows of 16 words per request, 2 sectors each
//@ count shld_req 16384 : 128 warps, 64 steps, two loads
//@ count shld_wf 16384 : two words of one column broadcast, two rows read the same 16 words: no conflicts
//@ count bar 128 : 16 blocks, 4 tiles, two barriers
//@ run matmul_ragged<16> <<<(2, 2), (16, 16)>>> (ra, rb, ragged, 20, 50, 30)
//@ run matmul_blocked <<<(4, 4), (16, 4)>>> (a, b, blocked, 64)
//@ check naive exact
//@ check tiled8 exact
//@ check tiled16 exact
//@ check ragged exact
//@ check blocked exact

extern "C" __global__ void matmul_naive(const float *a, const float *b, float *c, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && col < n) {
        float sum = 0.0f;
#pragma unroll 1
        for (int k = 0; k < n; ++k)
            sum += a[row * n + k] * b[k * n + col];
        c[row * n + col] = sum;
    }
}

template <int TILE>
__global__ void matmul_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[TILE][TILE];
    __shared__ float tb[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * TILE + tx;
    int row = blockIdx.y * TILE + ty;
    float sum = 0.0f;
    for (int t = 0; t < n / TILE; ++t) {
        ta[ty][tx] = a[row * n + t * TILE + tx];
        tb[ty][tx] = b[(t * TILE + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            sum += ta[ty][k] * tb[k][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
template __global__ void matmul_tiled<8>(const float *, const float *, float *, int);
template __global__ void matmul_tiled<16>(const float *, const float *, float *, int);

// c (m x p) = a (m x n) b (n x p) for any sizes: what lies outside is taken as zero.
template <int TILE>
__global__ void matmul_ragged(const float *a, const float *b, float *c, int m, int n, int p)
{
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int col = blockIdx.x * TILE + tx, row = blockIdx.y * TILE + ty;
    float sum = 0;
    for (int t = 0; t < (n + TILE - 1) / TILE; ++t) {
        int ac = t * TILE + tx, br = t * TILE + ty;
        ta[ty][tx] = (row < m && ac < n) ? a[row * n + ac] : 0.0f;
        tb[ty][tx] = (br < n && col < p) ? b[br * p + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k)
            sum += ta[ty][k] * tb[k][tx];
        __syncthreads();
    }
    if (row < m && col < p)
        c[row * p + col] = sum;
}
template __global__ void matmul_ragged<16>(const float *, const float *, float *, int, int, int);

// Each thread computes a column of four results: a value of b serves four multiplications.
extern "C" __global__ void matmul_blocked(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[16][16], tb[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * 16 + tx;
    int top = blockIdx.y * 16;
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int t = 0; t < n; t += 16) {
        for (int r = 0; r < 4; ++r) {
            ta[ty + 4 * r][tx] = a[(top + ty + 4 * r) * n + t + tx];
            tb[ty + 4 * r][tx] = b[(t + ty + 4 * r) * n + col];
        }
        __syncthreads();
        for (int k = 0; k < 16; ++k) {
            float v = tb[k][tx];
#pragma unroll
            for (int r = 0; r < 4; ++r)
                sum[r] += ta[ty + 4 * r][k] * v;
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 4; ++r)
        c[(top + ty + 4 * r) * n + col] = sum[r];
}
