// Transposition through a padded tile in local memory.
//
//@ buffer x f32 2048 rand 9 0 1
//@ buffer y f32 2048 empty
//@ run transpose <<<(64,32), (16,16)>>> (x, y, 64, 32)
//@ count shld_wf 128 : 64 requests of two rows of 16, whose pads make them meet in two banks
//@ check y exact

#define T 16

__kernel void transpose(__global const float *in, __global float *out, int width, int height)
{
    __local float tile[T][T + 1];
    int x = get_global_id(0), y = get_global_id(1);
    tile[get_local_id(1)][get_local_id(0)] = in[y * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * T + get_local_id(0);
    y = get_group_id(0) * T + get_local_id(1);
    out[y * height + x] = tile[get_local_id(0)][get_local_id(1)];
}
