// libcu++: atomic objects, barriers, pipelines with asynchronous copies; the pipeline primitives.
//
//@ buffer x i32 64 iota 0 1
//@ buffer y i32 64 zero
//@ buffer n i32 4 zero
//@ run counters <<<2, 32>>> (n)
//@ run reversed <<<1, 64>>> (x)
//@ run staged <<<1, 32>>> (x, y)
//@ run copied <<<1, 32>>> (y)
//@ buffer squares i32 64 zero
//@ run roles <<<1, 96>>> (x, squares)
//@ expect squares 3969 3844 3721 3600 3481 3364 3249 3136 3025 2916 2809 2704 2601 2500 2401 2304 2209 2116 2025 1936 1849 1764 1681 1600 1521 1444 1369 1296 1225 1156 1089 1024 961 900 841 784 729 676 625 576 529 484 441 400 361 324 289 256 225 196 169 144 121 100 81 64 49 36 25 16 9 4 1 0
//@ expect n 64 63 64 2
//@ expect x 63 62 61 60 59 58 57 56 55 54 53 52 51 50 49 48 47 46 45 44 43 42 41 40 39 38 37 36 35 34 33 32 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0
//@ expect y 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 32 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

__device__ cuda::atomic<int, cuda::thread_scope_device> total;

extern "C" __global__ void counters(int *n)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> a(n[0]), most(n[1]);
    a.fetch_add(1, cuda::memory_order_relaxed);
    most.fetch_max(blockIdx.x * 32 + threadIdx.x);
    __shared__ cuda::atomic<int, cuda::thread_scope_block> c;
    if (threadIdx.x == 0)
        c.store(0);
    __syncthreads();
    c++;
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&n[2], c.load(cuda::std::memory_order_acquire));
        total += 1;
        atomicMax(&n[3], total.load());
    }
}

using barrier = cuda::barrier<cuda::thread_scope_block>;
extern "C" __global__ void reversed(int *x)
{
    auto block = cooperative_groups::this_thread_block();
    __shared__ barrier bar;
    __shared__ int s[64];
    if (block.thread_rank() == 0)
        init(&bar, block.size());
    block.sync();
    int t = threadIdx.x;
    cuda::memcpy_async(&s[t], &x[t], sizeof(int), bar);
    barrier::arrival_token token = bar.arrive();
    bar.wait(std::move(token));
    x[t] = s[63 - t];
    bar.arrive_and_wait();
}

extern "C" __global__ void staged(const int *x, int *y)
{
    auto block = cooperative_groups::this_thread_block();
    constexpr int stages = 2;
    __shared__ int s[stages][32];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto pipe = cuda::make_pipeline(block, &state);
    pipe.producer_acquire();
    cuda::memcpy_async(block, s[0], x, sizeof(int) * 32, pipe);
    pipe.producer_commit();
    for (int b = 0; b < 2; ++b) {
        if (b + 1 < 2) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[(b + 1) % 2], x + 32 * (b + 1), sizeof(int) * 32, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        y[b * 32 + threadIdx.x] = s[b % 2][threadIdx.x] + 1;
        pipe.consumer_release();
    }
}

extern "C" __global__ void copied(int *x)
{
    __shared__ int s[32];
    __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    x[threadIdx.x] = s[31 - threadIdx.x];
}

// One warp fills stages, two warps empty them: each number is taken by one consumer.
extern "C" __global__ void roles(const int *x, int *squares)
{
    constexpr int stages = 2, size = 8;
    auto block = cooperative_groups::this_thread_block();
    __shared__ int stage[stages][size];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    const bool produces = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(
        block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    for (int k = 0; k < 64 / size; ++k) {
        if (produces) {
            pipe.producer_acquire();
            if (threadIdx.x < size)
                cuda::memcpy_async(&stage[k % stages][threadIdx.x], &x[k * size + threadIdx.x],
                                   sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            int t = threadIdx.x - 32;
            if (t < size)
                squares[k * size + t] = stage[k % stages][t] * stage[k % stages][t];
            pipe.consumer_release();
        }
    }
}
