// Atomics on local and global memory.
//@ buffer data u8 64 iota 0 4
//@ buffer bins u32 4 zero
//@ run hist <<<64, 32>>> (data, bins)
//@ expect bins 16 16 16 16
__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void hist(__global const uchar *data,
                                                                   __global uint *bins)
{
    __local uint mine[4];
    if (get_local_id(0) < 4) mine[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&mine[data[get_global_id(0)] >> 6]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 4) atomic_add(&bins[get_local_id(0)], mine[get_local_id(0)]);
}
