// Cooperative groups: lanes that are together, tiles by both forms, reductions and scans.
//
//@ buffer out i32 64 zero
//@ buffer sums i32 8 zero
//@ run groups <<<1, 32>>> (out, sums)
//@ expect sums 240 6 16 120 31 4 10 2
//@ expect out 0 0 1 1 2 2 3 3 4 4 5 5 6 6 7 7 8 8 9 9 10 10 11 11 12 12 13 13 14 14 15 15 0 1 3 6 4 9 15 22 8 17 27 38 12 25 39 54 16 33 51 70 20 41 63 86 24 49 75 102 28 57 87 118

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void groups(int *out, int *sums)
{
    cg::thread_block block = cg::this_thread_block();
    int t = block.thread_rank();
    if (t % 2 == 0) {
        auto evens = cg::coalesced_threads();
        out[t] = evens.thread_rank();
        int sum = cg::reduce(evens, t, cg::plus<int>());
        if (evens.thread_rank() == 0)
            sums[0] = sum, sums[2] = evens.size();
        int most = cg::reduce(evens, t, cg::greater<int>());
        if (evens.thread_rank() == 1)
            sums[4] = most + 1;
    } else {
        cg::coalesced_group odds = cg::coalesced_threads();
        out[t] = odds.thread_rank();
        int before = cg::exclusive_scan(odds, (int)odds.thread_rank());
        if (odds.thread_rank() == 15)
            sums[3] = before + 15;
        if (odds.ballot(t > 3) == 0xfffc && odds.thread_rank() == 0)
            sums[7] = 2;
    }
    block.sync();
    cg::thread_group quarter = cg::tiled_partition(block, 8);
    cg::thread_group part = cg::tiled_partition(quarter, 4);
    if (t == 0)
        sums[5] = part.size();
    part.sync();
    auto tile = cg::tiled_partition<4>(block);
    out[32 + t] = cg::inclusive_scan(tile, t);
    int four = cg::reduce(tile, t, cg::plus<int>());
    if (t == 0)
        sums[1] = four;
    auto label = cg::labeled_partition(cg::tiled_partition<32>(block), t / 10);
    if (t == 15)
        sums[6] = label.size();
}
