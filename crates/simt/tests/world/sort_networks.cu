// In the manner of the samples' sortingNetworks and mergeSort: comparators by reference, a template
// over the direction, `uint` everywhere, `__umul24`.
//@ buffer keys u32 32 list 9 3 27 14 0 31 5 22 8 17 12 30 1 29 16 7 21 2 25 11 19 4 28 13 6 24 10 26 15 20 18 23
//@ buffer vals u32 32 zero
//@ buffer rank u32 4 zero
//@ buffer asked u32 4 list 0 7 31 40
//@ run oddEven <<<1, 16>>> (keys, vals, 32, 1)
//@ run ranks<1> <<<1, 4>>> (rank, asked, keys, 32)
//@ expect keys 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
//@ expect rank 1 8 32 32
#include <assert.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#include <helper_cuda.h>
typedef unsigned int uint;
#define SHARED_SIZE_LIMIT 32U
#define W (sizeof(uint) * 8)
__device__ inline void Comparator(uint &keyA, uint &valA, uint &keyB, uint &valB, uint dir)
{
    uint t;
    if ((keyA > keyB) == dir) {
        t = keyA; keyA = keyB; keyB = t;
        t = valA; valA = valB; valB = t;
    }
}
template <uint sortDir>
static inline __device__ uint binarySearchInclusive(uint val, uint *data, uint L, uint stride)
{
    if (L == 0) return 0;
    uint pos = 0;
    for (; stride > 0; stride >>= 1) {
        uint newPos = umin(pos + stride, L);
        if ((sortDir && (data[newPos - 1] <= val)) || (!sortDir && (data[newPos - 1] >= val)))
            pos = newPos;
    }
    return pos;
}
__global__ void oddEven(uint *d_Key, uint *d_Val, uint arrayLength, uint dir)
{
    cg::thread_block cta = cg::this_thread_block();
    __shared__ uint s_key[SHARED_SIZE_LIMIT];
    __shared__ uint s_val[SHARED_SIZE_LIMIT];
    d_Key += blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
    s_key[threadIdx.x + 0] = d_Key[0];
    s_val[threadIdx.x + 0] = d_Val[threadIdx.x];
    s_key[threadIdx.x + (SHARED_SIZE_LIMIT / 2)] = d_Key[(SHARED_SIZE_LIMIT / 2)];
    s_val[threadIdx.x + (SHARED_SIZE_LIMIT / 2)] = d_Val[threadIdx.x + (SHARED_SIZE_LIMIT / 2)];
    for (uint size = 2; size <= arrayLength; size <<= 1) {
        uint stride = size / 2;
        uint offset = threadIdx.x & (stride - 1);
        {
            cg::sync(cta);
            uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            Comparator(s_key[pos + 0], s_val[pos + 0], s_key[pos + stride], s_val[pos + stride],
                       dir);
            stride >>= 1;
        }
        for (; stride > 0; stride >>= 1) {
            cg::sync(cta);
            uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            if (offset >= stride)
                Comparator(s_key[pos - stride], s_val[pos - stride], s_key[pos + 0], s_val[pos + 0],
                           dir);
        }
    }
    cg::sync(cta);
    d_Key[0] = s_key[threadIdx.x + 0];
    d_Key[(SHARED_SIZE_LIMIT / 2)] = s_key[threadIdx.x + (SHARED_SIZE_LIMIT / 2)];
}
template <uint sortDir> __global__ void ranks(uint *out, const uint *asked, uint *data, uint n)
{
    uint i = __umul24(blockIdx.x, blockDim.x) + threadIdx.x;
    out[i] = binarySearchInclusive<sortDir>(asked[i], data, n, n);
}
extern "C" uint launch(uint *k, uint *v, uint n)
{
    oddEven<<<1, SHARED_SIZE_LIMIT / 2>>>(k, v, n, 1);
    ranks<1U><<<1, 4>>>(k, v, k, n);
    getLastCudaError("oddEven");
    return n / W;
}
int main(void) { return (int)launch(NULL, NULL, 32); }
template __global__ void ranks<1>(uint *, const uint *, uint *, uint);
