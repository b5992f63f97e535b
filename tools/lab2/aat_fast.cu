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
// warp load 16 rows x 8 columns, so their stores fall on 32 banks. Which lane computes what decides
// the cost of a 16-byte load, too: half a warp is served in one wavefront if its lanes ask for four
// places, each for both lanes of a pair. So bits 1, 3 and 4 of the lane choose its rows, bits 0 and
// 2 its columns.
//
// The blocks are as many as fit on the card at a time. Each computes as many whole tiles as all of
// them can; what is left, fewer tiles than blocks, is shared evenly, slab by slab. Sums of a shared
// tile wait in `partial`, and the block that brings the last of them adds them up in their order:
// the same bits every time.
//
// A is m x n row-major, n a multiple of 8; C is m x m. `partial` has room for 2 tiles a block,
// `arrived` counts a tile's slabs: tiles (tiles + 1) / 2 zeros with tiles = ceil(m / 128), zeros
// again at the end. Launch: any grid, best 2 blocks a multiprocessor; block 128.

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
        // Along i within: nvcc's order for eight products of one v[j] is the faster one.
#pragma unroll
        for (int j = 0; j < 16; j++)
#pragma unroll
            for (int i = 0; i < 8; i++) acc[i][j] += u[i] * v[j];
    }
}

// Tile `b`, counted row by row on and below the diagonal, is at (by, bx).
static __device__ __forceinline__ void tile_at(int b, int *by, int *bx)
{
    int y = (int)((sqrtf(8.0f * b + 1.0f) - 1.0f) * 0.5f);
    while ((y + 1) * (y + 2) / 2 <= b) y++;
    while (y * (y + 1) / 2 > b) y--;
    *by = y;
    *bx = b - y * (y + 1) / 2;
}

// Stores a thread's part of a tile, its first element at (r0, c0), and its mirror image.
static __device__ __forceinline__ void write(float *C, const float (*acc)[16], int r0, int c0,
                                             bool mirror, int m)
{
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int row = r0 + (i & 3) + (i >> 2) * 32;
#pragma unroll
        for (int j = 0; j < 16; j++) {
            const int col = c0 + (j & 3) + (j >> 2) * 16;
            if (row < m && col < m) {
                C[(size_t)row * m + col] = acc[i][j];
                if (mirror) C[(size_t)col * m + row] = acc[i][j];
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(128, 2)
matmultran_fast(float *C, const float *A, float *partial, int *arrived, int m, int n)
{
    __shared__ float4 shared[4][DEPTH * ROW / 4];    // slabs: rows and columns, now and next
    __shared__ int before;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;

    // What the thread moves: rows `mine` and `mine` + 16 of the slab, from column `part`. Below the
    // matrix it moves the last row again.
    const int mine = warp * 32 + (lane & 15), part = (lane >> 4) * 4;
    const int to = part * ROW + mine;
    // What it computes: 2 x 2 warps of 64 x 64, 8 x 4 lanes.
    const int r0 = (warp >> 1) * 64 + ((lane >> 1 & 1) | (lane >> 2 & 6)) * 4;
    const int c0 = (warp & 1) * 64 + ((lane & 1) | (lane >> 1 & 2)) * 4;

    // Whole tiles of each block; then its share of the slabs of the others, from `at` to `end`.
    const int slabs = n / DEPTH, side = (m + TILE - 1) / TILE, tiles = side * (side + 1) / 2;
    const int whole = tiles / gridDim.x, others = whole * gridDim.x;
    const long long all = (long long)(tiles - others) * slabs;
    long long at = all * blockIdx.x / gridDim.x;
    const long long end = all * (blockIdx.x + 1) / gridDim.x;
    for (int turn = 0; turn < whole || at < end; turn++) {
        int tile = turn * gridDim.x + blockIdx.x, first = 0, last = slabs;
        if (turn >= whole) {
            tile = others + (int)(at / slabs);
            first = (int)(at % slabs);
            last = (int)min((long long)slabs, first + (end - at));
            at += last - first;
        }
        int by, bx;
        tile_at(tile, &by, &bx);
        const float *row1 = A + (size_t)min(by * TILE + mine, m - 1) * n + part;
        const float *row2 = A + (size_t)min(by * TILE + mine + 16, m - 1) * n + part;
        const float *col1 = A + (size_t)min(bx * TILE + mine, m - 1) * n + part;
        const float *col2 = A + (size_t)min(bx * TILE + mine + 16, m - 1) * n + part;

        float acc[8][16] = {};
        float4 rows[2], cols[2];
        fetch(rows, row1 + first * DEPTH, row2 + first * DEPTH);
        fetch(cols, col1 + first * DEPTH, col2 + first * DEPTH);
        int now = 0;
        __syncthreads();    // nobody reads the slabs of the tile before any more
        put((float *)shared[0] + to, rows);
        put((float *)shared[1] + to, cols);
        __syncthreads();
        for (int k = (first + 1) * DEPTH; k < last * DEPTH; k += DEPTH) {
            fetch(rows, row1 + k, row2 + k);
            fetch(cols, col1 + k, col2 + k);
            multiply(acc, (const float *)shared[now] + r0, (const float *)shared[now + 1] + c0);
            now ^= 2;
            put((float *)shared[now] + to, rows);
            put((float *)shared[now + 1] + to, cols);
            __syncthreads();
        }
        multiply(acc, (const float *)shared[now] + r0, (const float *)shared[now + 1] + c0);

        if (last - first < slabs) {
            // A tile that began in an earlier block is the first of a block's two.
            float *sums = partial + (2 * blockIdx.x + (first == 0)) * (size_t)(TILE * TILE);
#pragma unroll
            for (int i = 0; i < 128; i++) sums[i * 128 + threadIdx.x] = acc[i / 16][i % 16];
            __threadfence();
            __syncthreads();
            if (threadIdx.x == 0) before = atomicAdd(arrived + tile, last - first);
            __syncthreads();
            if (before + last - first < slabs) continue;
            __threadfence();
            if (threadIdx.x == 0) arrived[tile] = 0;
            // The blocks that share it, in their order.
            const long long from = (long long)(tile - others) * slabs;
            long long b = from * gridDim.x / all;
            while (all * (b + 1) / gridDim.x <= from) b++;
#pragma unroll
            for (int i = 0; i < 128; i++) acc[i / 16][i % 16] = 0.0f;
            for (long long begin; (begin = all * b / gridDim.x) < from + slabs; b++) {
                if (begin == all * (b + 1) / gridDim.x) continue;    // no share at all
                sums = partial + (2 * b + (begin <= from)) * (size_t)(TILE * TILE);
#pragma unroll
                for (int i = 0; i < 128; i++) acc[i / 16][i % 16] += sums[i * 128 + threadIdx.x];
            }
        }
        write(C, acc, by * TILE + r0, bx * TILE + c0, bx != by, m);
    }
}
