// Coordinates: 2-D and 3-D blocks and grids, the number of a thread in its warp, all axes in use; a
// vote of the block.
//
//@ buffer flat u32 1536 empty
//@ buffer lanes u32 96 empty
//@ buffer votes i32 12 empty
//@ run number_threads <<<(2, 4, 3), (4, 8, 2)>>> (flat)
//@ run number_lanes <<<(3, 1), (8, 2, 2)>>> (lanes)
//@ run block_votes <<<4, 96>>> (votes)
//@ count bar 12 : 4 blocks, three votes
//@ check flat exact
//@ check lanes exact
//@ check votes exact

extern "C" __global__ void number_threads(unsigned *flat)
{
    dim3 at(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
            blockIdx.z * blockDim.z + threadIdx.z);
    uint3 all = make_uint3(gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z);
    unsigned i = (at.z * all.y + at.y) * all.x + at.x;
    flat[i] = at.x + 100 * at.y + 10000 * at.z + 1000000 * (gridDim.x + gridDim.y + gridDim.z);
}

extern "C" __global__ void number_lanes(unsigned *lanes)
{
    unsigned in_block = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    lanes[blockIdx.x * 32 + in_block] =
        __shfl_sync(0xffffffff, threadIdx.y * 10 + threadIdx.z, (in_block + 9) % 32);
}

extern "C" __global__ void block_votes(int *votes)
{
    int t = threadIdx.x, b = blockIdx.x;
    int n = __syncthreads_count(t % (b + 2) == 0);
    int all = __syncthreads_and(t < 95 + b);
    int any = __syncthreads_or(t == 32 * b + 1);
    if (t == 0) {
        votes[3 * b] = n;
        votes[3 * b + 1] = all;
        votes[3 * b + 2] = any;
    }
}
