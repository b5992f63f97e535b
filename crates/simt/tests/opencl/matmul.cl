// Matrix product: one element per work-item, and with tiles in local memory.
//
//@ buffer a f32 1024 rand 7 -1 1
//@ buffer b f32 1024 rand 8 -1 1
//@ buffer naive f32 1024 empty
//@ buffer tiled f32 1024 empty
//@ run matmul <<<(32,32), (16,16)>>> (a, b, naive, 32)
//@ run matmul_tiled <<<(32,32), (16,16)>>> (a, b, tiled, 32)
//@ count bar 16 : 4 groups, 2 tiles, 2 barriers each
//@ check naive exact
//@ check tiled exact

#define TILE 16

__kernel void matmul(__global const float *a, __global const float *b, __global float *c,
                     const int n)
{
    const int col = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matmul_tiled(__global const float *a, __global const float *b, __global float *c, const int n)
{
    __local float as[TILE][TILE], bs[TILE][TILE];
    const int tx = get_local_id(0), ty = get_local_id(1);
    const int col = get_group_id(0) * TILE + tx, row = get_group_id(1) * TILE + ty;
    float sum = 0.0f;
    for (int tile = 0; tile < n / TILE; ++tile) {
        as[ty][tx] = a[row * n + tile * TILE + tx];
        bs[ty][tx] = b[(tile * TILE + ty) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int k = 0; k < TILE; ++k)
            sum += as[ty][k] * bs[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}
