// Row-wise argmax: candidates are structures that a tile of threads exchanges.
//@ buffer m f32 64 list 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5 0 2 8 8 4 1 9 7 1 6 9 3 9 9 3 7 5 1 0 5 8 2 0 9 7 4 9 4 4 5 9 2
//@ buffer best i32 8 fill -1
//@ run argmax_rows<8> <<<2, (8,4)>>> (m, best, 8)
//@ expect best 5 4 2 6 6 2 7 2
#include <cassert>
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

struct candidate {
    float value;
    short column;
    bool valid;
    __device__ bool worse_than(const candidate &o) const
    {
        return !valid || (o.valid && (o.value > value || (o.value == value && o.column < column)));
    }
};

template <int Columns> __global__ void argmax_rows(const float *m, int *best, int rows)
{
    auto tile = cg::tiled_partition<Columns>(cg::this_thread_block());
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    candidate mine = {0.0f, 0, false};
    if (row < rows)
        mine = {m[row * Columns + tile.thread_rank()], (short)tile.thread_rank(), true};
    for (unsigned d = tile.size() / 2; d > 0; d /= 2) {
        const candidate other = tile.shfl_down(mine, d);
        if (tile.thread_rank() + d < tile.size() && mine.worse_than(other))
            mine = other;
    }
    if (tile.thread_rank() == 0 && row < rows)
        best[row] = mine.column;
}
template __global__ void argmax_rows<8>(const float *, int *, int);

int main()
{
    float *m;
    int *best;
    assert(cudaMalloc(&m, 256) == cudaSuccess && cudaMalloc(&best, 32) == cudaSuccess);
    argmax_rows<8><<<2, dim3(8, 4)>>>(m, best, 8);
    return cudaDeviceSynchronize();
}
