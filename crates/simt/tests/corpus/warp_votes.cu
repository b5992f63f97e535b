// Votes, ballots and matches within a warp; lanes that share a value elect a leader.
//
//@ buffer x i32 128 ints 41 0 9
//@ buffer ballots u32 4 empty
//@ buffer any_all i32 8 empty
//@ buffer peers u32 128 empty
//@ buffer rank i32 128 empty
//@ buffer sums i32 128 empty
//@ run votes <<<1, 128>>> (x, ballots, any_all, peers)
//@ count shfl 16 : 4 warps: a ballot, any, all, match
//@ run rank_among_equals <<<2, 64>>> (x, rank)
//@ run broadcast_and_rotate <<<4, 32>>> (x, sums)
//@ check ballots exact
//@ check any_all exact
//@ check peers exact
//@ check rank exact
//@ check sums exact

extern "C" __global__ void votes(const int *x, unsigned *ballots, int *any_all, unsigned *peers)
{
    int i = threadIdx.x;
    int warp = i / 32, lane = i % 32;
    unsigned even = __ballot_sync(0xffffffffu, x[i] % 2 == 0);
    int nine = __any_sync(0xffffffffu, x[i] == 9);
    int small = __all_sync(0xffffffffu, x[i] < 9);
    peers[i] = __match_any_sync(0xffffffffu, x[i]);
    if (lane == 0) {
        ballots[warp] = even;
        any_all[2 * warp] = nine;
        any_all[2 * warp + 1] = small;
    }
}

// Position of each lane among the lanes of its warp that hold the same value.
extern "C" __global__ void rank_among_equals(const int *x, int *rank)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31;
    unsigned same = __match_any_sync(0xffffffffu, x[i]);
    rank[i] = __popc(same & ((1u << lane) - 1u));
}

// Shuffles of every kind, also in groups of 8 lanes.
extern "C" __global__ void broadcast_and_rotate(const int *x, int *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31;
    int v = x[i];
    int first = __shfl_sync(0xffffffffu, v, 0);
    int next = __shfl_sync(0xffffffffu, v, lane + 1);
    int below = __shfl_up_sync(0xffffffffu, v, 1);
    int mirror = __shfl_xor_sync(0xffffffffu, v, 31);
    int group = __shfl_sync(0xffffffffu, v, 0, 8);
    int above = __shfl_down_sync(0xffffffffu, v, 3, 8);
    sums[i] = first + 10 * next + 100 * below + 1000 * mirror + 10000 * group + 100000 * above;
}
