// Moving average with specialised warps: one loads tiles ahead, the others compute.
//@ buffer x f32 72 iota 0 1
//@ buffer y f32 64 zero
//@ run average <<<1, 64>>> (x, y, 64)
//@ expect y 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <helper_cuda.h>

constexpr int TILE = 16, RADIUS = 4, DEPTH = 3, SPAN = TILE + 2 * RADIUS;

__global__ void average(const float *__restrict__ x, float *__restrict__ y, int n)
{
    __shared__ float tiles[DEPTH][SPAN];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, DEPTH> shared;
    const auto block = cooperative_groups::this_thread_block();
    const auto role = block.thread_rank() / 32 == 0 ? cuda::pipeline_role::producer
                                                    : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &shared, role);
    const int lane = block.thread_rank() % 32;
    for (int tile = 0; tile * TILE < n; ++tile) {
        float(&buffer)[SPAN] = tiles[tile % DEPTH];
        if (role == cuda::pipeline_role::producer) {
            pipe.producer_acquire();
            if (lane < SPAN)
                cuda::memcpy_async(&buffer[lane], &x[tile * TILE + lane], sizeof(float), pipe);
            pipe.producer_commit();
            continue;
        }
        pipe.consumer_wait();
        if (lane < TILE) {
            float sum = 0.0f;
            for (int k = 0; k <= 2 * RADIUS; ++k)
                sum += buffer[lane + k];
            y[tile * TILE + lane] = sum / (2 * RADIUS + 1);
        }
        pipe.consumer_release();
    }
}

int main(int argc, char **argv)
{
    float *x, *y;
    checkCudaErrors(cudaMallocManaged(&x, 72 * sizeof(float)));
    checkCudaErrors(cudaMallocManaged(&y, 64 * sizeof(float)));
    for (int i = 0; i < 72; ++i) x[i] = i;
    average<<<1, 64>>>(x, y, 64);
    checkCudaErrors(cudaDeviceSynchronize());
    return y[0] != 4.0f;
}
