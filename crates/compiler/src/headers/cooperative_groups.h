// Cooperative groups: the block, and tiles of up to 32 lanes.
#pragma once

namespace cooperative_groups {

// Any group within a block: the block itself, or lanes of a warp.
class thread_group {
    bool is_block;
    unsigned int count, rank, lanes;

public:
    __device__ thread_group(bool whole_block, unsigned int n, unsigned int r, unsigned int mask)
        : is_block(whole_block), count(n), rank(r), lanes(mask) {}
    __device__ void sync() const
    {
        if (is_block)
            __syncthreads();
        else
            __syncwarp(lanes);
    }
    __device__ unsigned int thread_rank() const { return rank; }
    __device__ unsigned int size() const { return count; }
    __device__ unsigned int num_threads() const { return count; }
};

class thread_block {
public:
    __device__ operator thread_group() const
    { return thread_group(true, size(), thread_rank(), 0); }
    __device__ void sync() const { __syncthreads(); }
    __device__ unsigned int thread_rank() const
    { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
    __device__ unsigned int size() const { return blockDim.x * blockDim.y * blockDim.z; }
    __device__ unsigned int num_threads() const { return size(); }
    __device__ dim3 group_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __device__ dim3 thread_index() const { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    __device__ dim3 group_dim() const { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    __device__ dim3 dim_threads() const { return group_dim(); }
};

// The whole grid. A kernel that waits for it runs with all its blocks at once, as a cooperative
// launch does.
class grid_group {
public:
    __device__ void sync() const { __sync_grid(); }
    __device__ bool is_valid() const { return true; }
    __device__ unsigned long long block_rank() const
    {
        return blockIdx.x + (unsigned long long)gridDim.x *
                                (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    }
    __device__ unsigned long long num_blocks() const
    { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    __device__ dim3 group_dim() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    __device__ dim3 dim_blocks() const { return group_dim(); }
    __device__ dim3 block_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __device__ unsigned long long thread_rank() const
    {
        unsigned long long block =
            blockIdx.x + (unsigned long long)gridDim.x *
                             (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
        return block * (blockDim.x * blockDim.y * blockDim.z) + threadIdx.x +
               blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    }
    __device__ unsigned long long size() const
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z *
               (blockDim.x * blockDim.y * blockDim.z);
    }
    __device__ unsigned long long num_threads() const { return size(); }
};

template <unsigned int Size, typename Parent = void>
class thread_block_tile {
    __device__ unsigned int rank_in_block() const
    { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
    __device__ unsigned int first_lane() const { return rank_in_block() % 32 / Size * Size; }

public:
    __device__ operator thread_group() const
    { return thread_group(false, Size, thread_rank(), mask()); }
    __device__ unsigned int mask() const { return (0xffffffffu >> (32 - Size)) << first_lane(); }
    __device__ void sync() const { __syncwarp(mask()); }
    __device__ unsigned int thread_rank() const { return rank_in_block() % Size; }
    __device__ unsigned int size() const { return Size; }
    __device__ unsigned int num_threads() const { return Size; }
    __device__ unsigned int meta_group_rank() const { return rank_in_block() / Size; }
    __device__ unsigned int meta_group_size() const
    { return (blockDim.x * blockDim.y * blockDim.z + Size - 1) / Size; }
    template <typename T> __device__ T shfl(T v, int lane) const
    { return __shfl_sync(mask(), v, lane, Size); }
    template <typename T> __device__ T shfl_down(T v, unsigned int d) const
    { return __shfl_down_sync(mask(), v, d, Size); }
    template <typename T> __device__ T shfl_up(T v, unsigned int d) const
    { return __shfl_up_sync(mask(), v, d, Size); }
    template <typename T> __device__ T shfl_xor(T v, unsigned int m) const
    { return __shfl_xor_sync(mask(), v, m, Size); }
    template <typename T> __device__ unsigned int match_any(T v) const
    { return __match_any_sync(mask(), v) >> first_lane(); }
    __device__ int any(int p) const { return __any_sync(mask(), p); }
    __device__ int all(int p) const { return __all_sync(mask(), p); }
    __device__ unsigned int ballot(int p) const { return __ballot_sync(mask(), p) >> first_lane(); }
};

__device__ thread_block this_thread_block() { return thread_block(); }
__device__ grid_group this_grid() { return grid_group(); }

template <unsigned int Size>
__device__ thread_block_tile<Size> tiled_partition(const thread_block &block)
{
    static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16 or 32 threads");
    return thread_block_tile<Size>();
}

template <unsigned int Size, unsigned int Outer>
__device__ thread_block_tile<Size> tiled_partition(const thread_block_tile<Outer> &tile)
{
    static_assert(Size > 0 && Size <= Outer && (Size & (Size - 1)) == 0,
                  "a tile is no larger than the tile it is part of");
    return thread_block_tile<Size>();
}

// Tiles of a size that is known at run time only.
__device__ thread_group tiled_partition(const thread_block &block, unsigned int size)
{
    unsigned int rank = block.thread_rank();
    return thread_group(false, size, rank % size,
                        (0xffffffffu >> (32 - size)) << (rank % 32 / size * size));
}

// Tiles of a group whose kind is known at run time only.
__device__ thread_group tiled_partition(const thread_group &group, unsigned int size)
{
    unsigned int rank = group.thread_rank(),
                 lane = (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
    return thread_group(false, size, rank % size,
                        (0xffffffffu >> (32 - size)) << (lane / size * size));
}

// The lanes of a warp that are here together.
class coalesced_group {
    unsigned int lanes;

    __device__ static unsigned int lane()
    { return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32; }
    // The lane that has this rank.
    __device__ unsigned int lane_of(unsigned int rank) const
    {
        unsigned int rest = lanes;
        for (unsigned int i = 0; i < rank; ++i)
            rest &= rest - 1;
        return __ffs(rest) - 1;
    }
    // A lane's bit from here is bit number `rank`.
    __device__ unsigned int packed(unsigned int bits) const
    {
        unsigned int out = 0;
        for (unsigned int i = 0; i < size(); ++i)
            out |= (bits >> lane_of(i) & 1u) << i;
        return out;
    }

public:
    __device__ explicit coalesced_group(unsigned int mask) : lanes(mask) {}
    __device__ operator thread_group() const
    { return thread_group(false, size(), thread_rank(), lanes); }
    __device__ unsigned int mask() const { return lanes; }
    __device__ unsigned int size() const { return __popc(lanes); }
    __device__ unsigned int num_threads() const { return size(); }
    __device__ unsigned int thread_rank() const { return __popc(lanes & ((1u << lane()) - 1u)); }
    __device__ unsigned int meta_group_rank() const { return 0; }
    __device__ unsigned int meta_group_size() const { return 1; }
    __device__ void sync() const { __syncwarp(lanes); }
    template <typename T> __device__ T shfl(T v, unsigned int rank) const
    { return __shfl_sync(lanes, v, lane_of(rank)); }
    template <typename T> __device__ T shfl_up(T v, unsigned int d) const
    {
        unsigned int rank = thread_rank();
        return __shfl_sync(lanes, v, lane_of(rank >= d ? rank - d : rank));
    }
    template <typename T> __device__ T shfl_down(T v, unsigned int d) const
    {
        unsigned int rank = thread_rank();
        return __shfl_sync(lanes, v, lane_of(rank + d < size() ? rank + d : rank));
    }
    __device__ int any(int p) const { return __any_sync(lanes, p); }
    __device__ int all(int p) const { return __all_sync(lanes, p); }
    __device__ unsigned int ballot(int p) const { return packed(__ballot_sync(lanes, p)); }
    template <typename T> __device__ unsigned int match_any(T v) const
    { return packed(__match_any_sync(lanes, v)); }
};
__device__ coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
template <typename Group> __device__ coalesced_group binary_partition(const Group &group, bool p)
{
    unsigned int yes = __ballot_sync(group.mask(), p);
    return coalesced_group(p ? yes : group.mask() & ~yes);
}
template <typename Group, typename Label>
__device__ coalesced_group labeled_partition(const Group &group, Label label)
{
    return coalesced_group(__match_any_sync(group.mask(), label));
}

template <typename Group> __device__ void sync(const Group &group) { group.sync(); }
// One of the group's threads runs it.
template <typename Group, typename F> __device__ void invoke_one(const Group &group, F f)
{
    if (group.thread_rank() == 0)
        f();
}

// Copies with all threads of the group; nothing is left to wait for.
template <typename Group, typename T>
__device__ void memcpy_async(const Group &group, T *to, const T *from, size_t bytes)
{
    for (size_t i = group.thread_rank(); i < bytes / sizeof(T); i += group.size())
        to[i] = from[i];
}
template <typename Group> __device__ void wait(const Group &group) { group.sync(); }
template <int Stages, typename Group> __device__ void wait_prior(const Group &group)
{ group.sync(); }

template <typename T> struct plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <typename T> struct less {
    __device__ T operator()(T a, T b) const { return a < b ? a : b; }
};
template <typename T> struct greater {
    __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};
template <typename T> struct bit_and { __device__ T operator()(T a, T b) const { return a & b; } };
template <typename T> struct bit_or { __device__ T operator()(T a, T b) const { return a | b; } };
template <typename T> struct bit_xor { __device__ T operator()(T a, T b) const { return a ^ b; } };

// The same result in every thread of the group.
template <unsigned int Size, typename P, typename T, typename Op>
__device__ T reduce(const thread_block_tile<Size, P> &tile, T v, Op op)
{
    for (unsigned int m = Size / 2; m > 0; m /= 2)
        v = op(v, tile.shfl_xor(v, m));
    return v;
}
template <typename T, typename Op> __device__ T reduce(const coalesced_group &group, T v, Op op)
{
    T sum = group.shfl(v, 0);
    for (unsigned int i = 1; i < group.size(); ++i)
        sum = op(sum, group.shfl(v, i));
    return sum;
}

template <typename Group, typename T, typename Op>
__device__ T inclusive_scan(const Group &group, T v, Op op)
{
    for (unsigned int d = 1; d < group.size(); d *= 2) {
        T left = group.shfl_up(v, d);
        if (group.thread_rank() >= d)
            v = op(left, v);
    }
    return v;
}
template <typename Group, typename T> __device__ T inclusive_scan(const Group &group, T v)
{
    return inclusive_scan(group, v, plus<T>());
}
template <typename Group, typename T, typename Op>
__device__ T exclusive_scan(const Group &group, T v, Op op)
{
    T left = group.shfl_up(inclusive_scan(group, v, op), 1);
    return group.thread_rank() == 0 ? T(0) : left;
}
template <typename Group, typename T> __device__ T exclusive_scan(const Group &group, T v)
{
    return exclusive_scan(group, v, plus<T>());
}

}
