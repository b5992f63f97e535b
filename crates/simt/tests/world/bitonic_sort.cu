// Bitonic sort in shared memory, keys and values.
//@ buffer keys u32 32 list 31 0 30 1 29 2 28 3 27 4 26 5 25 6 24 7 23 8 22 9 21 10 20 11 19 12 18 13 17 14 16 15
//@ run bitonic <<<1, 16, 128>>> (keys, 32, 1)
//@ expect keys 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
typedef unsigned int uint;
__device__ inline void Comparator(uint &keyA, uint &keyB, uint dir)
{
    uint t;
    if ((keyA > keyB) == dir) {
        t = keyA;
        keyA = keyB;
        keyB = t;
    }
}
__global__ void bitonic(uint *d, uint n, uint dir)
{
    extern __shared__ uint s[];
    s[threadIdx.x] = d[threadIdx.x];
    s[threadIdx.x + n / 2] = d[threadIdx.x + n / 2];
    for (uint size = 2; size < n; size <<= 1) {
        uint ddd = dir ^ ((threadIdx.x & (size / 2)) != 0);
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            Comparator(s[pos + 0], s[pos + stride], ddd);
        }
    }
    for (uint stride = n / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
        Comparator(s[pos + 0], s[pos + stride], dir);
    }
    __syncthreads();
    d[threadIdx.x] = s[threadIdx.x];
    d[threadIdx.x + n / 2] = s[threadIdx.x + n / 2];
}
int main() { return 0; }
