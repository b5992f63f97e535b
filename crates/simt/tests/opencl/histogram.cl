// Histograms of bytes with atomics: bins in local memory, added to the global ones at the end; and
// old names.
//
//@ buffer data u8 4096 ints 11 0 255
//@ buffer bins u32 256 zero
//@ buffer odd u32 2 zero
//@ run histogram <<<1024, 256>>> (data, 4096, bins)
//@ run parity <<<1024, 128>>> (data, odd)
//@ check bins exact
//@ check odd exact

#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable

__kernel void histogram(__global const uchar *data, uint n, __global uint *bins)
{
    __local uint own[256];
    for (uint i = get_local_id(0); i < 256; i += get_local_size(0))
        own[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&own[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < 256; i += get_local_size(0))
        atomic_add(&bins[i], own[i]);
}

__kernel void parity(__global const uchar4 *data, __global uint *odd)
{
    uchar4 bits = data[get_global_id(0)] & (uchar)1;
    atom_add(&odd[0], (uint)(bits.x + bits.y + bits.z + bits.w));
    atom_inc(odd + 1);
}
