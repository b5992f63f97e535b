// CUB's collectives that move or mark items: exchanges, neighbours, histograms, merge sorts, and
// sums with a running prefix.
//
//@ buffer in i32 256 iota 0 1
//@ buffer keys i32 256 ints 7 -40 40
//@ buffer wrong i32 8 zero
//@ buffer counts i32 8 zero
//@ run exchanges <<<1, 64>>> (in, wrong)
//@ run neighbours <<<1, 64>>> (wrong)
//@ run histogram <<<1, 64>>> (in, counts)
//@ run sorts <<<1, 64>>> (keys, wrong)
//@ run running <<<1, 64>>> (in, wrong)
//@ expect wrong 0 0 0 0 0 0 0 0
//@ expect counts 37 37 37 37 36 36 36 0

#include <cub/cub.cuh>

extern "C" __global__ void exchanges(const int *in, int *wrong)
{
    typedef cub::BlockExchange<int, 64, 4> Exchange;
    typedef cub::WarpExchange<int, 4> InWarp;
    __shared__ Exchange::TempStorage temp;
    __shared__ InWarp::TempStorage warps[2];
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    int striped[4], blocked[4], again[4], ranks[4];
    cub::LoadDirectStriped<64>(t, in, striped);
    Exchange(temp).StripedToBlocked(striped, blocked);
    __syncthreads();
    Exchange(temp).BlockedToStriped(blocked, again);
    __syncthreads();
    for (int i = 0; i < 4; ++i)
        if (blocked[i] != 4 * t + i || again[i] != 64 * i + t)
            atomicAdd(&wrong[0], 1);
    Exchange(temp).BlockedToWarpStriped(blocked, again);
    __syncthreads();
    for (int i = 0; i < 4; ++i)
        if (again[i] != 128 * warp + 32 * i + lane)
            atomicAdd(&wrong[0], 1);
    Exchange(temp).WarpStripedToBlocked(again, blocked);
    __syncthreads();
    for (int i = 0; i < 4; ++i) {
        if (blocked[i] != 4 * t + i)
            atomicAdd(&wrong[0], 1);
        ranks[i] = 255 - blocked[i];
    }
    Exchange(temp).ScatterToBlocked(blocked, again, ranks);
    __syncthreads();
    Exchange(temp).ScatterToStriped(blocked, striped, ranks);
    __syncthreads();
    for (int i = 0; i < 4; ++i)
        if (again[i] != 255 - 4 * t - i || striped[i] != 255 - 64 * i - t)
            atomicAdd(&wrong[0], 1);
    InWarp(warps[warp]).BlockedToStriped(blocked, again);
    __syncwarp();
    for (int i = 0; i < 4; ++i)
        if (again[i] != 128 * warp + 32 * i + lane)
            atomicAdd(&wrong[1], 1);
    InWarp(warps[warp]).StripedToBlocked(again, striped);
    for (int i = 0; i < 4; ++i)
        if (striped[i] != 4 * t + i)
            atomicAdd(&wrong[1], 1);
}

struct Differ {
    __device__ bool operator()(int a, int b) const { return a != b; }
};

extern "C" __global__ void neighbours(int *wrong)
{
    typedef cub::BlockDiscontinuity<int, 64> Flags;
    typedef cub::BlockAdjacentDifference<int, 64> Differences;
    __shared__ union {
        Flags::TempStorage flags;
        Differences::TempStorage differences;
    } temp;
    const int t = threadIdx.x;
    int items[2], heads[2], tails[2], first[2], steps[2];
    for (int i = 0; i < 2; ++i)
        items[i] = (2 * t + i) / 3;
    Flags(temp.flags).FlagHeads(heads, items, Differ());
    __syncthreads();
    Flags(temp.flags).FlagTails(tails, items, Differ(), 42);
    __syncthreads();
    Flags(temp.flags).FlagHeads(first, items, Differ(), 0);
    __syncthreads();
    for (int i = 0; i < 2; ++i) {
        const int at = 2 * t + i;
        if (heads[i] != (at % 3 == 0) || tails[i] != (at % 3 == 2) || at == 127 && tails[i] != 0)
            atomicAdd(&wrong[2], 1);
        if (first[i] != (at % 3 == 0 && at > 0))
            atomicAdd(&wrong[2], 1);
    }
    Flags(temp.flags).FlagHeadsAndTails(heads, tails, items, Differ());
    __syncthreads();
    for (int i = 0; i < 2; ++i)
        if (heads[i] != ((2 * t + i) % 3 == 0) ||
            tails[i] != ((2 * t + i) % 3 == 2 || 2 * t + i == 127))
            atomicAdd(&wrong[2], 1);
    auto difference = [](int a, int b) { return a - b; };
    Differences(temp.differences).SubtractLeft(items, steps, difference);
    for (int i = 0; i < 2; ++i)
        if (steps[i] != (2 * t + i > 0 && (2 * t + i) % 3 == 0))
            atomicAdd(&wrong[3], 1);
}

extern "C" __global__ void histogram(const int *in, int *counts)
{
    typedef cub::BlockHistogram<unsigned char, 64, 4, 7, cub::BLOCK_HISTO_ATOMIC> Histogram;
    __shared__ Histogram::TempStorage temp;
    __shared__ unsigned int bins[7];
    unsigned char items[4];
    for (int i = 0; i < 4; ++i)
        items[i] = in[4 * threadIdx.x + i] % 7;
    Histogram(temp).Histogram(items, bins);
    __syncthreads();
    if (threadIdx.x < 7)
        counts[threadIdx.x] = bins[threadIdx.x];
}

struct Less {
    template <typename T> __device__ bool operator()(const T &a, const T &b) const { return a < b; }
};

extern "C" __global__ void sorts(const int *keys, int *wrong)
{
    typedef cub::BlockMergeSort<int, 64, 4, int> Sort;
    typedef cub::WarpMergeSort<int, 4> InWarp;
    typedef cub::BlockRadixSort<short, 64, 4> Radix;
    __shared__ union {
        typename Sort::TempStorage sort;
        typename InWarp::TempStorage warps[2];
        typename Radix::TempStorage radix;
    } temp;
    __shared__ int all[256];
    const int t = threadIdx.x;
    int own[4], where[4];
    short small[4];
    for (int i = 0; i < 4; ++i) {
        own[i] = keys[4 * t + i];
        small[i] = own[i];
        where[i] = 4 * t + i;
    }
    Sort(temp.sort).StableSort(own, where, Less());
    __syncthreads();
    Radix(temp.radix).Sort(small);
    __syncthreads();
    for (int i = 0; i < 4; ++i) {
        all[4 * t + i] = where[i];
        if (small[i] != own[i] || keys[where[i]] != own[i])
            atomicAdd(&wrong[4], 1);
    }
    __syncthreads();
    for (int i = 4 * t; i < 4 * t + 4 && i < 255; ++i) {
        const int a = keys[all[i]], b = keys[all[i + 1]];
        if (a > b || a == b && all[i] > all[i + 1])
            atomicAdd(&wrong[5], 1);
    }
    for (int i = 0; i < 4; ++i)
        own[i] = keys[4 * t + i];
    InWarp(temp.warps[t / 32]).Sort(own, Less());
    for (int i = 0; i < 3; ++i)
        if (own[i] > own[i + 1])
            atomicAdd(&wrong[6], 1);
    const int next = __shfl_down_sync(0xffffffff, own[0], 1);
    if (t % 32 < 31 && own[3] > next)
        atomicAdd(&wrong[6], 1);
}

// What comes before a block of items is known to the first warp.
struct Before {
    int total;
    __device__ int operator()(int of_block)
    {
        int old = total;
        total += of_block;
        return old;
    }
};

extern "C" __global__ void running(const int *in, int *wrong)
{
    typedef cub::BlockScan<int, 64> Scan;
    __shared__ Scan::TempStorage temp;
    Before before{0};
    for (int start = 0; start < 256; start += 64) {
        const int at = start + threadIdx.x;
        int sum;
        Scan(temp).ExclusiveSum(in[at], sum, before);
        __syncthreads();
        if (sum != at * (at - 1) / 2)
            atomicAdd(&wrong[7], 1);
    }
}
