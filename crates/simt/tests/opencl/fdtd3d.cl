// Wave equation in three dimensions, marching along z: planes in a queue of registers, the current
// one in local memory.
//
//@ buffer u f32 4096 rand 41 -1 1
//@ buffer old f32 4096 rand 43 -1 1
//@ buffer new f32 4096 zero
//@ options -DR=2 -DBX=8 -DBY=8
//@ run march <<<(8,8), (8,8)>>> (u, old, new, 16, 16, 16, 0.1)
//@ run march <<<(8,8), (8,8), (4,4)>>> (u, old, new, 16, 16, 16, 0.1)
//@ check new exact

__constant float weight[R + 1] = { -2.5f, 1.33333333f, -0.08333333f };

// Work-items cover a window of the plane whose corner the global offset names; the outer R points
// are left alone.
__kernel void march(__global const float *restrict u, __global const float *restrict old,
                    __global float *restrict new_, int nx, int ny, int nz, float c)
{
    __local float tile[BY + 2 * R][BX + 2 * R];
    const int x = get_global_id(0), y = get_global_id(1);
    const int tx = get_local_id(0) + R, ty = get_local_id(1) + R;
    const int plane = nx * ny;
    const bool inside = x >= R && x < nx - R && y >= R && y < ny - R;
    int at = y * nx + x;
    float queue[2 * R + 1];
#pragma unroll
    for (int k = 0; k < 2 * R; ++k)
        queue[k + 1] = u[at + k * plane];
    for (int z = R; z < nz - R; ++z) {
#pragma unroll
        for (int k = 0; k < 2 * R; ++k)
            queue[k] = queue[k + 1];
        queue[2 * R] = u[at + (z + R) * plane];
        tile[ty][tx] = queue[R];
        if (tx < 2 * R) {
            tile[ty][tx - R] = x >= R ? u[at + z * plane - R] : 0.0f;
            tile[ty][tx + BX] = x + BX < nx ? u[at + z * plane + BX] : 0.0f;
        }
        if (ty < 2 * R) {
            tile[ty - R][tx] = y >= R ? u[at + z * plane - R * nx] : 0.0f;
            tile[ty + BY][tx] = y + BY < ny ? u[at + z * plane + BY * nx] : 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (inside) {
            float sum = 3.0f * weight[0] * queue[R];
#pragma unroll
            for (int k = 1; k <= R; ++k)
                sum += weight[k] * (tile[ty][tx - k] + tile[ty][tx + k] + tile[ty - k][tx] +
                                    tile[ty + k][tx] + queue[R - k] + queue[R + k]);
            new_[at + z * plane] = 2.0f * queue[R] - old[at + z * plane] + c * sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
