// Exercise 2.2.4 with its bonus: the mirror image takes the way through shared memory, so that both
// stores run along rows.
//
// After the last product the tile of A^T is no longer needed. Each thread puts its sum there by
// rows and reads one back by columns; the padding that keeps the loads free of bank conflicts
// serves this transposition, too.

#ifndef K
#define K 16 // rows and columns of a tile
#endif

#ifndef PAD
#define PAD 2 // words added to a row of ATs
#endif

extern "C" __global__ void matmultran_kernel(float *C, const float *A, int m, int n)
{
    if (blockIdx.x > blockIdx.y)
        return;
    int tx = threadIdx.x; // column within the tile
    int ty = threadIdx.y; // row within the tile
    int ix = blockIdx.x * K; // first column of the tile in C
    int iy = blockIdx.y * K; // first row of the tile in C
    int iAT = ix * n; // first tile of A^T
    int iA = iy * n; // first tile of A
    float s = 0;

    __shared__ float As[K][K], ATs[K][K + PAD];
    for (int t = 0; t < n / K; t++, iA += K, iAT += K) {
        As[ty][tx] = A[iA + ty * n + tx];
        ATs[tx][ty] = A[iAT + ty * n + tx];
        __syncthreads();

#pragma unroll
        for (int k = 0; k < K; k++)
            s += As[ty][k] * ATs[k][tx];
        __syncthreads();
    }
    C[(iy + ty) * m + ix + tx] = s;
    if (blockIdx.x != blockIdx.y) {
        ATs[ty][tx] = s;
        __syncthreads();
        C[(ix + ty) * m + iy + tx] = ATs[tx][ty];
    }
}
