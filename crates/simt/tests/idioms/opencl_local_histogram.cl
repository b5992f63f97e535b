// Bins of the group, cleared, counted, added up.
// Twin: added up before all have counted.
//
//@ buffer bins i32 4 zero
//@ run opencl_local_histogram <<<128, 64>>> (bins)
//@ expect bins 32 32 32 32
//@ fault RACE-S

__kernel void opencl_local_histogram(__global int *bins)
{
    __local int mine[4];
    int t = get_local_id(0);
    if (t < 4)
        mine[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&mine[t % 4]); // <- fault
#ifndef FAULTY
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (t < 4)
        atomic_add(&bins[t], mine[t]); // <- fault
}
