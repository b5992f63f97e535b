// Tiles of eight lanes sum by their own shuffles.
// Twin: through shared memory, without the tile's sync.
//
//@ buffer out i32 4 empty
//@ run group_tile_sum <<<1, 32>>> (out)
//@ expect out 28 92 156 220
//@ fault RACE-S

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void group_tile_sum(int *out)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int v = threadIdx.x;
#ifdef FAULTY
    __shared__ int s[32];
    s[threadIdx.x] = v; // <- fault
    v = 0;
    for (int k = 0; k < 8; ++k)
        v += s[threadIdx.x / 8 * 8 + k]; // <- fault
#else
    for (int d = 4; d > 0; d /= 2)
        v += tile.shfl_down(v, d);
#endif
    if (tile.thread_rank() == 0)
        out[threadIdx.x / 8] = v;
}
