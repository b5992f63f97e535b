// Sums, scans and votes of work-groups and sub-groups, the last sub-group with half of its lanes.
//@ buffer x i32 96 iota 1 1
//@ buffer sums i32 4 zero
//@ buffer scan i32 96 zero
//@ buffer lanes f32 8 zero
//@ run totals <<<96, 48>>> (x, sums)
//@ run running <<<96, 48>>> (x, scan)
//@ run of_lanes <<<48, 48>>> (lanes)
//@ run checked <<<96, 48>>> (x, scan, sums)
//@ expect sums 1176 3480 48 0
//@ expect lanes 496 632 31 47 1 16 32 48
__kernel void totals(__global const int *x, __global int *sums __attribute__((unused)))
{
    const int sum = work_group_reduce_add(x[get_global_linear_id()]);
    const int first = work_group_broadcast(x[get_global_id(0)], 0);
    if (get_local_linear_id() == 0)
        sums[get_group_id(0)] = sum;
    const int all = work_group_all(x[get_global_id(0)] >= first), any = work_group_any(first == 49);
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_global_id(0) == 95 && all && any)
        sums[2] = get_local_size(0);
}
__kernel void running(__global const int *x, __global int *scan)
{
    const int i = get_global_id(0);
    scan[i] = work_group_scan_inclusive_add(x[i]) - work_group_scan_exclusive_add(x[i]) * 2;
}
__kernel void of_lanes(__global float *lanes)
{
    const float mine = get_local_id(0);
    const float sum = sub_group_reduce_add(mine), most = sub_group_reduce_max(mine);
    const float other = sub_group_shuffle_xor(mine, 1u), first = sub_group_broadcast(mine, 0u);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_local_id() == 0) {
        const uint s = get_sub_group_id();
        lanes[s] = sum;
        lanes[2 + s] = most;
        if (s == 0)
            lanes[4] = other;
        if (s == 1) {
            lanes[5] = get_sub_group_size();
            lanes[6] = get_max_sub_group_size();
            lanes[7] = first + get_num_sub_groups() * 8.0f;
        }
    }
}
// The loop that the scans stand for; a difference makes sums[3] count.
__kernel void checked(__global const int *x, __global const int *scan, __global int *sums)
{
    const int i = get_global_id(0), first = i - (int)get_local_id(0);
    int before = 0;
    for (int k = first; k < i; ++k)
        before += x[k];
    if (scan[i] != before + x[i] - before * 2)
        atomic_inc(&sums[3]);
}
