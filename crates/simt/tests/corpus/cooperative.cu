// Cooperative groups: the block as a group, tiles of 32 and 8 lanes, a sum by tile; and one
// function for groups of any kind.
//
//@ buffer x i32 128 ints 361 -30 30
//@ buffer by_warp i32 4 empty
//@ buffer by_eight i32 16 empty
//@ buffer by_group i32 13 empty
//@ run sum_tiles <<<1, 128>>> (x, by_warp, by_eight)
//@ run sum_groups <<<1, 128>>> (x, by_group)
//@ check by_warp exact
//@ check by_eight exact
//@ check by_group exact

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

__device__ int group_sum(cg::thread_group group, int *scratch, int v)
{
    const unsigned rank = group.thread_rank();
    for (unsigned half = group.size() / 2; half > 0; half /= 2) {
        scratch[rank] = v;
        group.sync();
        if (rank < half)
            v += scratch[rank + half];
        group.sync();
    }
    return v;
}

// The block, then its four warps, then eight groups of 16.
extern "C" __global__ void sum_groups(const int *x, int *by_group)
{
    __shared__ int scratch[128];
    cg::thread_block block = cg::this_thread_block();
    const unsigned t = block.thread_rank();
    int sum = group_sum(block, scratch, x[t]);
    if (t == 0)
        by_group[0] = sum;
    cg::sync(block);
    sum = group_sum(cg::tiled_partition<32>(block), scratch + t / 32 * 32, x[t]);
    if (t % 32 == 0)
        by_group[1 + t / 32] = sum;
    cg::sync(block);
    cg::thread_group some = cg::tiled_partition(block, 16);
    sum = group_sum(some, scratch + t / 16 * 16, x[t]);
    if (some.thread_rank() == 0)
        by_group[5 + t / 16] = sum;
}
