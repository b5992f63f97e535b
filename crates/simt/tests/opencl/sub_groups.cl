// Sub-groups of 16, two in a warp, as a kernel asks for them, also by their vendor's names: sums,
// scans, values of other work-items, rows of a block in memory, halves of a warp that part.
//
//@ buffer x i32 48 ints 7 -50 50
//@ buffer sums i32 48 zero
//@ buffer scans i32 48 zero
//@ buffer moved i32 96 zero
//@ buffer rows u32 96 iota 1 1
//@ buffer halves i32 48 zero
//@ run sums <<<48, 48>>> (x, sums, scans)
//@ run moves <<<48, 48>>> (x, moved)
//@ run blocks <<<48, 48>>> (rows)
//@ run parted <<<48, 48>>> (x, halves)
//@ check sums exact
//@ check scans exact
//@ check moved exact
//@ check rows exact
//@ check halves exact

#define GROUPS_OF_16 __attribute__((intel_reqd_sub_group_size(16)))

GROUPS_OF_16 __kernel void sums(__global const int *x, __global int *sums, __global int *scans)
{
    const int i = get_global_id(0);
    sums[i] = 1000 * sub_group_reduce_add(x[i]) + get_num_sub_groups() * 10 + get_sub_group_id();
    scans[i] = sub_group_scan_exclusive_add(x[i]) + 1000 * sub_group_scan_inclusive_max(x[i]);
}

GROUPS_OF_16 __kernel void moves(__global const int *x, __global int *moved)
{
    const int i = get_global_id(0), lane = get_sub_group_local_id();
    int2 v = (int2)(x[i], -x[i]);
    v = intel_sub_group_shuffle_down(v, v + 1000, 3);
    moved[i] = v.x * 2 + v.y;
    moved[48 + i] = intel_sub_group_shuffle_up(x[i], x[i] + 500, 2)
                    + intel_sub_group_shuffle_xor(x[i], 5)
                    + intel_sub_group_shuffle(x[i], 15 - lane)
                    + sub_group_broadcast(x[i], 4);
}

GROUPS_OF_16 __kernel void blocks(__global uint *rows)
{
    __global uint *own = rows + 32 * get_sub_group_id();
    const uint2 v = intel_sub_group_block_read2(own);
    intel_sub_group_block_write2(own, v.yx + intel_sub_group_block_read(own) * 0u);
}

GROUPS_OF_16 __kernel void parted(__global const int *x, __global int *halves)
{
    const int i = get_global_id(0);
    if (get_sub_group_id() == 1)
        halves[i] = sub_group_reduce_min(x[i]);
    else
        halves[i] = sub_group_all(x[i] >= -50) + sub_group_any(x[i] > 1000) * 2;
}
