// Five-point stencil on a tile with a border in local memory; the size of the tile comes from the
// options.
//
//@ buffer u f32 1024 rand 13 0 1
//@ buffer v f32 1024 zero
//@ options -DTX=16 -D TY=8 -cl-std=CL1.2
//@ run stencil <<<(32,32), (16,8)>>> (u, v, 32, 32, 0.25)
//@ check v exact

__kernel void stencil(__global const float *u, __global float *v, int nx, int ny, float c)
{
    __local float tile[TY + 2][TX + 2];
    int x = get_global_id(0), y = get_global_id(1);
    int tx = get_local_id(0) + 1, ty = get_local_id(1) + 1;
    tile[ty][tx] = u[y * nx + x];
    if (tx == 1)
        tile[ty][0] = x > 0 ? u[y * nx + x - 1] : 0.0f;
    if (tx == TX)
        tile[ty][TX + 1] = x < nx - 1 ? u[y * nx + x + 1] : 0.0f;
    if (ty == 1)
        tile[0][tx] = y > 0 ? u[(y - 1) * nx + x] : 0.0f;
    if (ty == TY)
        tile[TY + 1][tx] = y < ny - 1 ? u[(y + 1) * nx + x] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
        v[y * nx + x] =
            c * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
}
