// Cooperative groups: the block as a group, tiles of 32 and 8 lanes, a sum by tile.
//
//@ buffer x i32 128 ints 361 -30 30
//@ buffer by_warp i32 4 empty
//@ buffer by_eight i32 16 empty
//@ run sum_tiles <<<1, 128>>> (x, by_warp, by_eight)
//@ check by_warp exact
//@ check by_eight exact

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <unsigned SIZE>
__device__ int tile_sum(cg::thread_block_tile<SIZE> tile, int v)
{
    for (int d = tile.size() / 2; d > 0; d /= 2)
        v += tile.shfl_down(v, d);
    return v;
}

extern "C" __global__ void sum_tiles(const int *x, int *by_warp, int *by_eight)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    cg::thread_block_tile<8> eight = cg::tiled_partition<8>(block);
    int v = x[block.thread_rank()];
    int sum = tile_sum(warp, v);
    if (warp.thread_rank() == 0)
        by_warp[threadIdx.x / 32] = sum;
    sum = tile_sum(eight, v);
    if (eight.thread_rank() == 0)
        by_eight[threadIdx.x / 8] = sum;
    block.sync();
}
