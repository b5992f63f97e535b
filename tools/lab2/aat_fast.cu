// C = A A^T at the speed of the multipliers: a stretch beyond exercise 2.2.4.
//
// A block computes a 128 x 128 tile of C, each of its 128 threads 8 x 16 of it in registers: 24
// values from shared memory feed 128 multiplications. (With 8 x 8, 16 values for 64, shared memory
// is the limit: a warp's 16-byte load takes four cycles of the SM, in which its four schedulers
// could have issued sixteen multiplications.) Only tiles on and below the diagonal are computed;
// the others are stored as mirror images. While a slab of DEPTH columns is multiplied, the next one
// is on its way from global memory to registers, and then goes to the other half of the shared
// buffer: one barrier per slab.
//
// A slab is stored transposed, so that a thread's 4 rows are 16 neighbouring bytes. The lanes of a
// warp load 16 rows x 8 columns, so their stores fall on 32 banks.
//
// A is m x n row-major, n a multiple of 8; C is m x m. Launch: grid tiles (tiles + 1) / 2 with
// tiles = ceil(m / 128), block 128.

#define TILE 128
#define DEPTH 8
#define ROW (TILE + 4)

// A thread's part of a slab: four columns of two rows that are 16 rows apart.
static __device__ __forceinline__ void fetch(float4 *to, const float *first, const float *second)
{
    to[0] = *(const float4 *)first;
    to[1] = *(const float4 *)second;
}

static __device__ __forceinline__ void put(float *to, const float4 *from)
{
#pragma unroll
    for (int p = 0; p < 2; p++) {
        to[0 * ROW + 16 * p] = from[p].x;
        to[1 * ROW + 16 * p] = from[p].y;
        to[2 * ROW + 16 * p] = from[p].z;
        to[3 * ROW + 16 * p] = from[p].w;
    }
}

// Adds a slab's products: 2 x 4 pieces of 4 x 4, 32 rows and 16 columns apart.
static __device__ __forceinline__ void multiply(float (*acc)[16], const float *a, const float *t)
{
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        float u[8], v[16];
#pragma unroll
        for (int i = 0; i < 8; i += 4) {
            const float4 q = *(const float4 *)(a + d * ROW + i * 8);
            u[i] = q.x; u[i + 1] = q.y; u[i + 2] = q.z; u[i + 3] = q.w;
        }
#pragma unroll
        for (int j = 0; j < 16; j += 4) {
            const float4 q = *(const float4 *)(t + d * ROW + j * 4);
            v[j] = q.x; v[j + 1] = q.y; v[j + 2] = q.z; v[j + 3] = q.w;
        }
#pragma unroll
        for (int i = 0; i < 8; i++)
#pragma unroll
            for (int j = 0; j < 16; j++) acc[i][j] += u[i] * v[j];
    }
}

extern "C" __global__ void __launch_bounds__(128, 2)
matmultran_fast(float *C, const float *A, int m, int n)
{
    __shared__ float4 shared[4][DEPTH * ROW / 4];    // slabs: rows and columns, now and next
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;

    // Tile number b is at (by, bx), bx <= by, counted row by row.
    const int b = blockIdx.x;
    int by = (int)((sqrtf(8.0f * b + 1.0f) - 1.0f) * 0.5f);
    while ((by + 1) * (by + 2) / 2 <= b) by++;
    while (by * (by + 1) / 2 > b) by--;
    const int bx = b - by * (by + 1) / 2;

    // What the thread moves: rows `mine` and `mine` + 16 of the slab, from column `part`. Below the
    // matrix it moves the last row again.
    const int mine = warp * 32 + (lane & 15), part = (lane >> 4) * 4;
    const float *row1 = A + (size_t)min(by * TILE + mine, m - 1) * n + part;
    const float *row2 = A + (size_t)min(by * TILE + mine + 16, m - 1) * n + part;
    const float *col1 = A + (size_t)min(bx * TILE + mine, m - 1) * n + part;
    const float *col2 = A + (size_t)min(bx * TILE + mine + 16, m - 1) * n + part;
    const int to = part * ROW + mine;
    // What it computes: 2 x 2 warps of 64 x 64, 8 x 4 lanes.
    const int r0 = (warp >> 1) * 64 + (lane >> 2) * 4;
    const int c0 = (warp & 1) * 64 + (lane & 3) * 4;

    float acc[8][16];
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 16; j++) acc[i][j] = 0.0f;

    float4 rows[2], cols[2];
    fetch(rows, row1, row2);
    fetch(cols, col1, col2);
    int now = 0;
    put((float *)shared[0] + to, rows);
    put((float *)shared[1] + to, cols);
    __syncthreads();
    for (int k = DEPTH; k < n; k += DEPTH) {
        fetch(rows, row1 + k, row2 + k);
        fetch(cols, col1 + k, col2 + k);
        multiply(acc, (const float *)shared[now] + r0, (const float *)shared[now + 1] + c0);
        now ^= 2;
        put((float *)shared[now] + to, rows);
        put((float *)shared[now + 1] + to, cols);
        __syncthreads();
    }
    multiply(acc, (const float *)shared[now] + r0, (const float *)shared[now + 1] + c0);

#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int row = by * TILE + r0 + (i & 3) + (i >> 2) * 32;
#pragma unroll
        for (int j = 0; j < 16; j++) {
            const int col = bx * TILE + c0 + (j & 3) + (j >> 2) * 16;
            if (row < m && col < m) {
                C[(size_t)row * m + col] = acc[i][j];
                if (bx != by) C[(size_t)col * m + row] = acc[i][j];
            }
        }
    }
}
