// Cooperative groups in generic code: any group by template.
//@ buffer x i32 64 fill 3
//@ buffer sum i32 1 zero
//@ run sum_kernel <<<1, 64>>> (sum, x, 64)
//@ expect sum 192
#include <cooperative_groups.h>
using namespace cooperative_groups;
template <typename group_t> __device__ int reduce_sum(group_t g, int *temp, int val)
{
    int lane = g.thread_rank();
    for (int i = g.size() / 2; i > 0; i /= 2) {
        temp[lane] = val;
        g.sync();
        if (lane < i) val += temp[lane + i];
        g.sync();
    }
    return val;
}
__device__ int thread_sum(int *input, int n)
{
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += blockDim.x * gridDim.x) {
        int4 in = ((int4 *)input)[i];
        sum += in.x + in.y + in.z + in.w;
    }
    return sum;
}
__global__ void sum_kernel(int *sum, int *input, int n)
{
    int my_sum = thread_sum(input, n);
    __shared__ int temp[64];
    auto g = this_thread_block();
    int block_sum = reduce_sum(g, temp, my_sum);
    if (g.thread_rank() == 0) atomicAdd(sum, block_sum);
}
int main()
{
    int n = 1 << 24, *sum;
    cudaMallocManaged(&sum, sizeof(int));
    sum_kernel<<<(n / 4 + 255) / 256, 256>>>(sum, nullptr, n);
    cudaFree(sum);
}
