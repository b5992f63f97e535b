// C = A A^T at the speed of the multipliers: a stretch beyond exercise 2.2.4.
//
// `matmultran_pack` lays A out as it will be read: in bands of 128 rows, the numbers of each column
// of a band side by side. Eight columns of a band, a slab, are then 4 KiB that lie together, and go
// to shared memory as they are, 16 bytes at a time and past the registers (`cp.async`).
//
// `matmultran_fast` multiplies. A block computes a 128 x 128 tile of C, each of its 128 threads 8 x
// 16 of it in registers: 24 values from shared memory feed 128 multiplications. (With 8 x 8, 16
// values for 64, shared memory is the limit.) Only tiles on and below the diagonal are computed;
// the others are stored as mirror images. While one slab is multiplied, the next ones are on their
// way: one barrier per slab. Within a slab, too, values are loaded before they are needed: the
// right half of a column's 16 while the left half is multiplied, the next column's left half while
// the right half is.
//
// Which lane computes what decides the cost of a 16-byte load: half a warp is served in one
// wavefront if its lanes ask for four places, each for both lanes of a pair. So bits 1, 3 and 4 of
// the lane choose its rows, bits 0 and 2 its columns.
//
// The blocks are as many as fit on the card at a time. Each computes as many whole tiles as all of
// them can; what is left, fewer tiles than blocks, is shared evenly, slab by slab. Sums of a shared
// tile wait in `partial`, and the block that brings the last of them adds them up in their order:
// the same bits every time.
//
// A is m x n row-major, C is m x m. `packed` has room for ceil(m / 128) bands of ceil(n / 8) slabs,
// `partial` for 2 tiles a block; `arrived` counts a tile's slabs: tiles (tiles + 1) / 2 zeros with
// tiles = ceil(m / 128), zeros again at the end. Launch: `matmultran_pack` with a grid of
// ceil(n / 32) x ceil(m / 128), block 256; `matmultran_fast` with any grid, best 2 blocks a
// multiprocessor, block 128.
#include <cuda_pipeline.h>

#define TILE 128
#define DEPTH 8
#define SLAB (DEPTH * TILE)
#define STAGE (2 * SLAB)    // a slab of rows and one of columns
#define STAGES 3

// Block (x, y) packs 32 columns of band y. What lies outside A is zero.
extern "C" __global__ void __launch_bounds__(256)
matmultran_pack(float *packed, const float *A, int m, int n)
{
    __shared__ float part[32][TILE + 1];
    const int lane = threadIdx.x & 31, first = blockIdx.x * 32, band = blockIdx.y;
    const int width = (n + DEPTH - 1) / DEPTH * DEPTH;
    for (int r = threadIdx.x >> 5; r < TILE; r += 8) {
        const int row = band * TILE + r, col = first + lane;
        part[lane][r] = row < m && col < n ? A[(size_t)row * n + col] : 0.0f;
    }
    __syncthreads();
    float *to = packed + ((size_t)band * width + first) * TILE;
    for (int i = threadIdx.x; i < min(32, width - first) * TILE; i += 256)
        to[i] = part[i / TILE][i % TILE];
}

// The stage behind this one, which is the first again behind the last.
static __device__ __forceinline__ int after(int stage)
{
    return stage == (STAGES - 1) * STAGE ? 0 : stage + STAGE;
}

// A thread's part of a slab of rows and one of columns goes to a stage.
static __device__ __forceinline__ void fetch(float *to, const float *rows, const float *cols)
{
#pragma unroll
    for (int i = 0; i < SLAB; i += 512) {
        __pipeline_memcpy_async(to + i, rows + i, 16);
        __pipeline_memcpy_async(to + SLAB + i, cols + i, 16);
    }
    __pipeline_commit();
}

// Eight values: two times four, `apart` from one another.
static __device__ __forceinline__ void load(float *to, const float *from, int apart)
{
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const float4 q = *(const float4 *)(from + i * apart);
        to[4 * i] = q.x; to[4 * i + 1] = q.y; to[4 * i + 2] = q.z; to[4 * i + 3] = q.w;
    }
}

// Adds the products of eight rows and eight columns, the first of which is j0. To and fro along the
// rows: of a multiply-add's three values, one is always that of the multiply-add before, and a
// register file of two banks then has two to read.
static __device__ __forceinline__ void multiply(float (*acc)[16], int j0, const float *u,
                                                const float *v)
{
#pragma unroll
    for (int j = 0; j < 8; j++)
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const int i = j & 1 ? 7 - k : k;
            acc[i][j0 + j] += u[i] * v[j];
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

// Stores four neighbours, of which `left` are in the matrix; at once if all rows are `aligned`.
static __device__ __forceinline__ void store(float *to, float4 q, int left, bool aligned)
{
    if (aligned && left >= 4) {
        *(float4 *)to = q;
    } else {
        if (left > 0) to[0] = q.x;
        if (left > 1) to[1] = q.y;
        if (left > 2) to[2] = q.z;
        if (left > 3) to[3] = q.w;
    }
}

// Stores a thread's part of a tile, its first element at (r0, c0), and its mirror image.
static __device__ __forceinline__ void write(float *C, float (*acc)[16], int r0, int c0,
                                             bool mirror, int m)
{
    // A sum with zero is a copy. Without it nvcc keeps four neighbours of `acc` in neighbouring
    // registers all the time, to store them at once, and more multiply-adds wait for a register.
#pragma unroll
    for (int i = 0; i < 128; i++) acc[i / 16][i % 16] += 0.0f;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int row = r0 + (i & 3) + (i >> 2) * 32;
        if (row >= m) continue;
#pragma unroll
        for (int j = 0; j < 16; j += 4) {
            const float4 q = make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
            store(C + (size_t)row * m + c0 + j * 4, q, m - c0 - j * 4, m % 4 == 0);
        }
    }
    if (!mirror) return;
#pragma unroll
    for (int j = 0; j < 16; j++) {
        const int col = c0 + (j & 3) + (j >> 2) * 16;
        if (col >= m) continue;
#pragma unroll
        for (int i = 0; i < 8; i += 4) {
            const float4 q = make_float4(acc[i][j], acc[i + 1][j], acc[i + 2][j], acc[i + 3][j]);
            store(C + (size_t)col * m + r0 + i * 8, q, m - r0 - i * 8, m % 4 == 0);
        }
    }
}

extern "C" __global__ void __launch_bounds__(128, 2)
matmultran_fast(float *C, const float *packed, float *partial, int *arrived, int m, int n)
{
    __shared__ float4 shared[STAGES * STAGE / 4];
    __shared__ int before;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;

    // What the thread moves: 16 bytes in every 2 KiB.
    float *const to = (float *)shared + threadIdx.x * 4;
    // What it computes: 2 x 2 warps of 64 x 64, 8 x 4 lanes, pieces of 4 x 4 that are 32 rows and
    // 16 columns apart.
    const int r0 = (warp >> 1) * 64 + ((lane >> 1 & 1) | (lane >> 2 & 6)) * 4;
    const int c0 = (warp & 1) * 64 + ((lane & 1) | (lane >> 1 & 2)) * 4;
    const float *const a = (const float *)shared + r0, *const t = (const float *)shared + SLAB + c0;

    // Whole tiles of each block; then its share of the slabs of the others, from `at` to `end`.
    const int slabs = (n + DEPTH - 1) / DEPTH;
    const int side = (m + TILE - 1) / TILE, tiles = side * (side + 1) / 2;
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
        const float *rows = packed + (size_t)by * slabs * SLAB + threadIdx.x * 4;
        const float *cols = packed + (size_t)bx * slabs * SLAB + threadIdx.x * 4;

        __syncthreads();    // nobody reads the slabs of the tile before any more
#pragma unroll
        for (int s = 0; s < STAGES - 1; s++) {
            const size_t from = (size_t)min(first + s, last - 1) * SLAB;
            fetch(to + s * STAGE, rows + from, cols + from);
        }
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        int now = 0, next = (STAGES - 1) * STAGE;    // which stage is multiplied, which one comes
        float acc[8][16] = {}, u[2][8], v[2][8];
        load(u[0], a, 32);
        load(v[0], t, 16);
        for (int k = first; k < last; k++) {
            // Behind the last slab the same comes again, and is not used.
            const size_t from = (size_t)min(k + STAGES - 1, last - 1) * SLAB;
            fetch(to + next, rows + from, cols + from);
            next = after(next);
#pragma unroll
            for (int d = 0; d < DEPTH; d++) {
                load(v[1], t + now + d * TILE + 32, 16);
                multiply(acc, 0, u[d & 1], v[0]);
                if (d == DEPTH - 1) {
                    now = after(now);
                    __pipeline_wait_prior(STAGES - 2);
                    __syncthreads();
                }
                load(v[0], t + now + (d + 1) % DEPTH * TILE, 16);
                load(u[(d + 1) & 1], a + now + (d + 1) % DEPTH * TILE, 32);
                multiply(acc, 8, u[d & 1], v[1]);
            }
        }
        __pipeline_wait_prior(0);

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
