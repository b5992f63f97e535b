// Cellular automata: Conway's game of life on a torus, with and without a shared tile; a
// one-dimensional rule in bits.
//
//@ buffer cells i32 1024 ints 201 0 1
//@ buffer next i32 1024 empty
//@ buffer tiled i32 1024 empty
//@ buffer rule u32 8 ints 202 0 2147483647
//@ buffer rule_next u32 8 empty
//@ run life <<<(2, 4), (16, 8)>>> (cells, next, 32, 32)
//@ run life_tiled <<<(4, 4), (8, 8)>>> (next, tiled, 32)
//@ run rule_30 <<<1, 8>>> (rule, rule_next, 8)
//@ check next exact
//@ check tiled exact
//@ check rule_next exact

extern "C" __global__ void life(const int *now, int *next, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx != 0 || dy != 0)
                alive += now[(y + dy + height) % height * width + (x + dx + width) % width];
    int self = now[y * width + x];
    next[y * width + x] = alive == 3 || (self && alive == 2);
}

extern "C" __global__ void life_tiled(const int *now, int *next, int n)
{
    __shared__ unsigned char tile[10][10];
    int tid = threadIdx.y * blockDim.x + threadIdx.x;
    for (int k = tid; k < 100; k += 64) {
        int y = (blockIdx.y * 8 + k / 10 - 1 + n) & (n - 1);
        int x = (blockIdx.x * 8 + k % 10 - 1 + n) & (n - 1);
        tile[k / 10][k % 10] = now[y * n + x];
    }
    __syncthreads();
    int x = threadIdx.x + 1, y = threadIdx.y + 1;
    int alive = tile[y - 1][x - 1] + tile[y - 1][x] + tile[y - 1][x + 1] + tile[y][x - 1] +
                tile[y][x + 1] + tile[y + 1][x - 1] + tile[y + 1][x] + tile[y + 1][x + 1];
    next[(blockIdx.y * 8 + threadIdx.y) * n + blockIdx.x * 8 + threadIdx.x] =
        (alive | tile[y][x]) == 3 ? 1 : 0;
}

// 32 cells in a word: left xor (here or right).
extern "C" __global__ void rule_30(const unsigned *now, unsigned *next, int words)
{
    int i = threadIdx.x;
    unsigned here = now[i], before = now[(i + words - 1) % words], after = now[(i + 1) % words];
    unsigned left = __funnelshift_l(before, here, 1);
    unsigned right = __funnelshift_r(here, after, 1);
    next[i] = left ^ (here | right);
}
