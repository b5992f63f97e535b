// Tiles fetched by the whole work-group, worked on, and written back with a stride.
//
//@ buffer x f32 256 rand 71 -1 1
//@ buffer y f32 512 zero
//@ run tiles <<<256, 64>>> (x, y, local:256)
//@ check y exact

__kernel void tiles(__global const float *x, __global float *y, __local float *tile)
{
    size_t n = get_local_size(0), base = get_group_id(0) * n, t = get_local_id(0);
    event_t e = async_work_group_copy(tile, x + base, n, 0);
    wait_group_events(1, &e);
    float v = tile[n - 1 - t];
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[t] = 2.0f * v;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_strided_copy(y + 2 * base, tile, n, 2, 0);
    wait_group_events(1, &e);
}
