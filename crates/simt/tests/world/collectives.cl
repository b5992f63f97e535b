// Collectives of sub-groups and work-groups: scans before each work-item, ballots, rotations,
// clusters, work-items that part.
//
//@ options -cl-std=CL3.0
//@ buffer x i32 40 iota 5 -1
//@ buffer scans i32 160 zero
//@ buffer bits u32 40 zero
//@ buffer moved i32 40 zero
//@ buffer few i32 40 zero
//@ buffer wide f32 40 zero
//@ run scans <<<40, 40>>> (x, scans, wide)
//@ run ballots <<<40, 40>>> (bits)
//@ run moves <<<40, 40>>> (x, moved)
//@ run parted <<<40, 40>>> (x, few)
//@ expect scans 2147483647 5 4 3 2 1 0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -10 -11 -12 -13 -14 -15 -16 -17 -18 -19 -20 -21 -22 -23 -24 -25 -26 -27 -28 -29 -30 -31 -32 -33 -2147483648 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 32767 5 4 3 2 1 0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -10 -11 -12 -13 -14 -15 -16 -17 -18 -19 -20 -21 -22 -23 -24 -25 32767 -27 -28 -29 -30 -31 -32 -33 2 2 102 202 302 402 502 602 702 802 902 1002 1102 1202 1302 1402 1502 1602 1702 1802 1902 2002 2102 2202 2302 2402 2502 2602 2702 2802 2902 3002 2 3202 3302 3402 3502 3602 3702 3802
//@ expect bits 1310016530 1310016530 310116530 1310116530 310216530 1310216530 310316530 1310316530 310416530 1310416530 310516530 1310516530 310616530 1310616530 310716530 1310716530 310816530 1310816530 310916530 1310916530 311016530 1311016530 311116530 1311116530 311216530 1311216530 311316530 1311316530 311416530 1311416530 311516530 1311516530 1070004170 1070004170 70104170 1070104170 70204170 1070204170 70304170 1070304170
//@ expect moved 103050200 204050300 305050401 6050502 107050603 208050704 309050805 10050906 111051007 212051108 313051209 14051310 115051411 216051512 317051613 18051714 119051815 220051916 321052017 22052118 123052219 224052320 325052421 26052522 127052623 228052724 329052825 30052926 131053027 200053128 301053029 2053130 -266568 -266468 -266367 -266266 -266165 -266064 -266163 -266062
//@ expect few 890 100001 -193 890 100002 -193 890 100004 -187 890 100008 -187 890 100016 -187 890 100032 -182 890 100064 -182 890 100128 -182 890 100256 -193 890 100512 -193 890 101024 -3163 907 100001 -3163 907 100002 -3163 907
//@ expect wide -inf 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
kernel void scans(global const int *x, global int *scans, global float *wide)
{
    const int i = get_global_id(0);
    scans[i] = work_group_scan_exclusive_min(x[i]);
    scans[40 + i] = work_group_scan_exclusive_max(x[i]);
    scans[80 + i] = sub_group_scan_exclusive_min((short)x[i]);
    scans[120 + i] = work_group_broadcast(x[i], 3, 0) + 100 * sub_group_scan_exclusive_max((uint)i);
    wide[i] = work_group_scan_exclusive_max((float)-i);
}

kernel void ballots(global uint *bits)
{
    const uint i = get_global_id(0), lane = get_sub_group_local_id();
    const uint4 odd = sub_group_ballot(i % 2);
    bits[i] = odd.x % 1000 + 1000 * sub_group_ballot_bit_count(odd)
              + 100000 * sub_group_ballot_exclusive_scan(odd)
              + 10000000 * sub_group_ballot_find_msb(odd)
              + 1000000000 * (sub_group_inverse_ballot(odd) + sub_group_elect());
    if (popcount(get_sub_group_lt_mask().x) != lane || ctz(get_sub_group_eq_mask().x) != lane
        || popcount(get_sub_group_ge_mask().x) != get_sub_group_size() - lane)
        bits[i] = 0;
}

kernel void moves(global const int *x, global int *moved)
{
    const int i = get_global_id(0);
    const int4 v = (int4)(x[i], i, 0, 1);
    moved[i] = sub_group_shuffle_up(v, 1).y + 100 * sub_group_shuffle_down(i, 2)
               + 10000 * sub_group_broadcast_first(x[i]);
    if (get_sub_group_id() == 0)
        moved[i] += 1000000 * sub_group_rotate(i, 3)
                    + 100000000 * sub_group_clustered_rotate(i % 4, 1, 4);
}

kernel void parted(global const int *x, global int *few)
{
    const int i = get_global_id(0);
    if (i % 3 == 0)
        few[i] = sub_group_non_uniform_reduce_add(x[i])
                 + 1000 * sub_group_non_uniform_all(x[i] < 6);
    else if (i % 3 == 1)
        few[i] = sub_group_non_uniform_scan_exclusive_mul(2)
                 + 100000 * sub_group_non_uniform_any(i > 30);
    else
        few[i] = sub_group_clustered_reduce_xor(i, 8)
                 + 100 * sub_group_non_uniform_scan_inclusive_max(-i);
}
