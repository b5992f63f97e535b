// Finite differences in three dimensions in the way of a marching plane: the block marches along z,
// holds the column in registers, which move on like a queue, and the plane in shared memory with
// its halo.
//
//@ buffer in f32 11520 rand 3 0 1
//@ buffer out f32 11520 zero
//@ symbol stencil f32 5 list 0.5 0.1 0.05 0.02 0.01
//@ run wave_step <<<(1, 2), (32, 8)>>> (out, in, 32, 16, 4)
//@ check out exact

#define R 4

__constant__ float stencil[R + 1];

// Each thread computes a column of points. `in` and `out` have R planes, rows and points more on
// each side.
template <int BX, int BY>
__device__ void march(float *out, const float *in, const int nx, const int ny, const int nz)
{
    __shared__ float plane[BY + 2 * R][BX + 2 * R];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = nx + 2 * R, level = row * (ny + 2 * R);
    int at = (blockIdx.y * BY + y + R) * row + blockIdx.x * BX + x + R;
    float column[2 * R + 1];
#pragma unroll
    for (int k = 0; k < 2 * R; ++k)
        column[k + 1] = in[at + k * level];
    at += R * level;
#pragma unroll 3
    for (int z = 0; z < nz; ++z, at += level) {
#pragma unroll
        for (int k = 0; k < 2 * R; ++k)
            column[k] = column[k + 1];
        column[2 * R] = in[at + R * level];
        __syncthreads();
        plane[y + R][x + R] = column[R];
        if (y < R) {
            plane[y][x + R] = in[at - R * row];
            plane[y + BY + R][x + R] = in[at + BY * row];
        }
        if (x < R) {
            plane[y + R][x] = in[at - R];
            plane[y + R][x + BX + R] = in[at + BX];
        }
        __syncthreads();
        float sum = stencil[0] * column[R];
#pragma unroll
        for (int k = 1; k <= R; ++k)
            sum += stencil[k] *
                   (column[R + k] + column[R - k] + plane[y + R - k][x + R] +
                    plane[y + R + k][x + R] + plane[y + R][x + R - k] + plane[y + R][x + R + k]);
        out[at] = sum;
    }
}

extern "C" __global__ void wave_step(float *out, const float *in, int nx, int ny, int nz)
{
    march<32, 8>(out, in, nx, ny, nz);
}
