// A tile of sixteen exchanges through shared memory, in step by its sync.
// Twin: without it.
//
//@ buffer out i32 64 empty
//@ buffer ends i32 2 empty
//@ run group_tile_exchange <<<1, 64>>> (out)
//@ run group_tile_exchange_ends <<<1, 1>>> (out, ends)
//@ expect ends 15 48
//@ fault RACE-S

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void group_tile_exchange(int *out)
{
    __shared__ int s[64];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int t = threadIdx.x;
    s[t] = t; // <- fault
#ifndef FAULTY
    tile.sync();
#endif
    out[t] = s[t ^ 15]; // <- fault
}

extern "C" __global__ void group_tile_exchange_ends(const int *out, int *ends)
{
    ends[0] = out[0];
    ends[1] = out[63];
}
