// Exercise 2.2.4: C is symmetric, so only the blocks on and below the diagonal work, and each
// writes its tile twice.
//
// C = A A^T as in mmt3.cu. Blocks above the diagonal leave before the first barrier, all threads of
// a block together. On the diagonal a tile is its own mirror image and is written once.

#ifndef K
#define K 16 // rows and columns of a tile
#endif

#ifndef PAD
// <lab
#define PAD 2 // words added to a row of ATs
//~ #define PAD 0 // words added to a row of ATs: as in mmt3.cu
// lab>
#endif

extern "C" __global__ void matmultran_kernel(float *C, const float *A, int m, int n)
{
    // <lab
    if (blockIdx.x > blockIdx.y)
        return;
    //~ // Which blocks have nothing to do?
    // lab>
    int tx = threadIdx.x; // column within the tile
    int ty = threadIdx.y; // row within the tile
    int ix = blockIdx.x * K + tx; // column of C
    int iy = blockIdx.y * K + ty; // row of C
    int iAT = blockIdx.x * K * n; // first tile of A^T
    int iA = blockIdx.y * K * n; // first tile of A
    float s = 0;

    // <lab
    __shared__ float As[K][K], ATs[K][K + PAD];
    //~ // As in mmt3.cu.
    //~ __shared__ float As[K][K], ATs[K][K];
    // lab>
    for (int t = 0; t < n / K; t++, iA += K, iAT += K) {
        As[ty][tx] = A[iA + ty * n + tx];
        // <lab
        ATs[tx][ty] = A[iAT + ty * n + tx];
        //~ // Your line of mmt2.cu.
        // lab>
        __syncthreads();

#pragma unroll
        for (int k = 0; k < K; k++)
            s += As[ty][k] * ATs[k][tx];
        __syncthreads();
    }
    // <lab
    C[iy * m + ix] = s;
    if (blockIdx.x != blockIdx.y)
        C[ix * m + iy] = s;
    //~ // Store s, and where there is a mirror image, store it there, too.
    // lab>
}
