// One warp fills a ring of tiles, the other adds them up, by a pipeline with roles.
// Twin: the second does not wait until a tile is there.
//
//@ buffer x i32 128 iota 0 1
//@ buffer out i32 32 zero
//@ buffer total i32 1 zero
//@ run pipeline_roles <<<1, 64>>> (x, out)
//@ run pipeline_roles_sum <<<1, 1>>> (out, total)
//@ expect total 8128
//@ fault RACE-S

#include <cooperative_groups.h>
#include <cuda/pipeline>

extern "C" __global__ void pipeline_roles(const int *x, int *out)
{
    __shared__ int tiles[2][32];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const auto block = cooperative_groups::this_thread_block();
    const bool fills = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(
        block, &state, fills ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    const int t = threadIdx.x % 32;
    int sum = 0;
    for (int tile = 0; tile < 4; ++tile) {
        if (fills) {
            pipe.producer_acquire();
            tiles[tile % 2][t] = x[32 * tile + t]; // <- fault
            pipe.producer_commit();
        } else {
#ifndef FAULTY
            pipe.consumer_wait();
#endif
            sum += tiles[tile % 2][t]; // <- fault
            pipe.consumer_release();
        }
    }
    if (!fills)
        out[t] = sum;
}

extern "C" __global__ void pipeline_roles_sum(const int *out, int *total)
{
    for (int t = 0; t < 32; ++t)
        *total += out[t];
}
