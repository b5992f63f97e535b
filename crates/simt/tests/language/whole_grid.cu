// Waiting for the whole grid: prefix sums over blocks, a stencil with two buffers and several
// steps, and a reduction, in one launch each.
//
//@ buffer x i32 256 iota 0 1
//@ buffer sums i32 5 zero
//@ buffer out i32 1 zero
//@ buffer a f32 128 iota 0 2
//@ buffer b f32 128 zero
//@ run scan <<<4, 64>>> (x, sums, out)
//@ run smooth <<<4, 32>>> (a, b, 128, 4)
//@ expect out 32640
//@ expect sums 0 2016 8128 18336 32640
//@ expect a 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38 40 42 44 46 48 50 52 54 56 58 60 62 64 66 68 70 72 74 76 78 80 82 84 86 88 90 92 94 96 98 100 102 104 106 108 110 112 114 116 118 120 122 124 126 128 130 132 134 136 138 140 142 144 146 148 150 152 154 156 158 160 162 164 166 168 170 172 174 176 178 180 182 184 186 188 190 192 194 196 198 200 202 204 206 208 210 212 214 216 218 220 222 224 226 228 230 232 234 236 238 240 242 244 246 248 250 252 254
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void scan(int *x, int *sums, int *out)
{
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    __shared__ int total;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    atomicAdd(&total, x[i]);
    __syncthreads();
    if (threadIdx.x == 0)
        sums[blockIdx.x + 1] = total;
    grid.sync();
    if (i == 0)
        for (int b = 1; b <= grid.num_blocks(); ++b)
            sums[b] += sums[b - 1];
    cg::sync(grid);
    x[i] += sums[blockIdx.x];
    if (i == grid.size() - 1)
        *out = sums[grid.num_blocks()];
}

extern "C" __global__ void smooth(float *a, float *b, int n, int steps)
{
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    for (int s = 0; s < steps; ++s) {
        bool inside = i > 0 && i < n - 1;
        b[i] = inside ? 0.5f * (a[i - 1] + a[i + 1]) : a[i];
        grid.sync();
        float *c = a;
        a = b, b = c;
    }
}
