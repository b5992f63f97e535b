// A tile of local memory in reverse.
// Twin: no barrier.
//
//@ buffer out i32 64 empty
//@ run opencl_barrier <<<64, 64>>> (out, local:256)
//@ fault RACE-S
//@ buffer last i32 1 empty
//@ run opencl_barrier_last <<<1, 1>>> (out, last)
//@ expect last 63

__kernel void opencl_barrier(__global int *out, __local int *tile)
{
    int t = get_local_id(0);
    tile[t] = t; // <- fault
#ifndef FAULTY
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    out[t] = tile[63 - t]; // <- fault
}

__kernel void opencl_barrier_last(__global const int *out, __global int *last)
{
    *last = out[0];
}
