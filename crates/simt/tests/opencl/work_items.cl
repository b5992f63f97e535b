// What each work-item knows of itself, with a global offset.
//
//@ buffer out i32 240 empty
//@ buffer sizes i32 14 empty
//@ run who <<<(4,3,2), (2,3,1), (10,20,30)>>> (out)
//@ run sizes_of <<<(8,6), (4,2), (3,5)>>> (sizes)
//@ check out exact
//@ check sizes exact

__kernel void who(__global int *out)
{
    int n = (get_global_id(0) - get_global_offset(0)) +
            get_global_size(0) * (get_global_id(1) - get_global_offset(1) +
                                  get_global_size(1) * (get_global_id(2) - get_global_offset(2)));
    for (uint d = 0; d < 3; ++d) {
        out[10 * n + d] = get_global_id(d);
        out[10 * n + 3 + d] = get_local_id(d);
        out[10 * n + 6 + d] = get_group_id(d);
    }
    out[10 * n + 9] = get_work_dim();
}

__kernel void sizes_of(__global int *out)
{
    if (get_local_id(0) != 0 || get_local_id(1) != 0 || get_group_id(0) != 0 ||
        get_group_id(1) != 0)
        return;
    out[0] = get_global_size(0); out[1] = get_global_size(1); out[2] = get_global_size(2);
    out[3] = get_local_size(0); out[4] = get_local_size(1); out[5] = get_local_size(2);
    out[6] = get_num_groups(0); out[7] = get_num_groups(1); out[8] = get_num_groups(2);
    out[9] = get_global_offset(0); out[10] = get_global_offset(1); out[11] = get_global_offset(2);
    out[12] = get_work_dim();
    out[13] = get_global_size(2);
}
