// Exercise 2.2.1: C = A A^T in tiles. A is m x n, C is m x m, both by rows; m and n are multiples
// of K.
//
// A block of K x K threads computes one tile of C, a thread one element of it: row iy of A times
// row ix of A. In each round the block copies one tile of A and one of A^T to shared memory, then
// every thread adds K products. All threads of a block reach both barriers.

#ifndef K
#define K 16 // rows and columns of a tile
#endif

extern "C" __global__ void matmultran_kernel(float *C, const float *A, int m, int n)
{
    int tx = threadIdx.x; // column within the tile
    int ty = threadIdx.y; // row within the tile
    int ix = blockIdx.x * K + tx; // column of C
    int iy = blockIdx.y * K + ty; // row of C
    // <lab
    // The comments of these two lines came into the world exchanged. Correct them.
    int iAT = blockIdx.x * K * n; // first tile of A, the left factor
    int iA = blockIdx.y * K * n; // first tile of A^T, the right factor
    // lab>
    float s = 0;

    __shared__ float As[K][K], ATs[K][K];
    for (int t = 0; t < n / K; t++, iA += K, iAT += K) {
        As[ty][tx] = A[iA + ty * n + tx];
        ATs[ty][tx] = A[iAT + tx * n + ty];
        __syncthreads();

#pragma unroll
        for (int k = 0; k < K; k++)
            s += As[ty][k] * ATs[k][tx];
        __syncthreads();
    }
    C[iy * m + ix] = s;
}
