// Sums of work-groups in local memory whose size the host gives; the second launch adds them up.
//
//@ buffer x i32 4096 ints 3 -100 100
//@ buffer part i32 16 empty
//@ buffer sum i32 1 empty
//@ buffer largest i32 1 fill -1000
//@ run reduce <<<4096, 256>>> (x, local:1024, part)
//@ count bar 144 : 16 groups, one barrier after loading and eight rounds
//@ run reduce <<<16, 16>>> (part, local:64, sum)
//@ run maximum <<<4096, 64>>> (x, largest)
//@ check part exact
//@ check sum exact
//@ check largest exact

__kernel void reduce(__global const int *x, __local int *scratch, __global int *part)
{
    uint t = get_local_id(0);
    scratch[t] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (t < s)
            scratch[t] += scratch[t + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        part[get_group_id(0)] = scratch[0];
}

__kernel void maximum(__global const int *x, volatile __global int *largest)
{
    __local int best;
    if (get_local_id(0) == 0)
        best = INT_MIN;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_max(&best, x[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_max(largest, best);
}
