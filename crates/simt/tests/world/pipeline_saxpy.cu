// Copies in flight while the last tile is computed: cuda::pipeline with two stages.
//@ buffer y f32 64 fill 1
//@ buffer x f32 64 iota 0 1
//@ run saxpy <<<1, 16>>> (y, x, 64, 2)
//@ expect y 1 3 5 7 9 11 13 15 17 19 21 23 25 27 29 31 33 35 37 39 41 43 45 47 49 51 53 55 57 59 61 63 65 67 69 71 73 75 77 79 81 83 85 87 89 91 93 95 97 99 101 103 105 107 109 111 113 115 117 119 121 123 125 127
#include <cooperative_groups.h>
#include <cuda/pipeline>
#pragma nv_diag_suppress static_var_with_dynamic_init
__global__ void saxpy(float *y, const float *x, int n, float a)
{
    auto block = cooperative_groups::this_thread_block();
    constexpr size_t stages = 2;
    __shared__ float tile[stages][16];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope::thread_scope_block, stages> state;
    auto pipe = cuda::make_pipeline(block, &state);
    const int tiles = n / 16;
    int fetched = 0;
    for (int done = 0; done < tiles; ++done) {
        for (; fetched < tiles && fetched < done + stages; ++fetched) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[fetched % stages], x + fetched * 16,
                               cuda::aligned_size_t<4>(16 * sizeof(float)), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        y[done * 16 + threadIdx.x] += a * tile[done % stages][threadIdx.x];
        pipe.consumer_release();
    }
}
int main() { return 0; }
