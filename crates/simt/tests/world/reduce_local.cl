// Tree reduction in local memory.
//@ buffer x i32 32 fill 2
//@ buffer out i32 2 zero
//@ run reduce <<<32, 16>>> (x, out, local:64)
//@ expect out 32 32
kernel void reduce(global const int *x, global int *out, local int *scratch)
{
    const int l = get_local_id(0);
    scratch[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int o = get_local_size(0) / 2; o > 0; o >>= 1) {
        if (l < o) scratch[l] += scratch[l + o];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = scratch[0];
}
