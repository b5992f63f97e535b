// Exercise 2.2.2: rows of ATs are padded, so that the words of a column lie in different banks.
//
// C = A A^T as in mmt2.cu; the padding and the declaration of ATs differ. The host may set K and
// PAD.

#ifndef K
#define K 16 // rows and columns of a tile
#endif

#ifndef PAD
// <lab
#define PAD 0 // words added to a row of ATs
// lab>
#endif

extern "C" __global__ void matmultran_kernel(float *C, const float *A, int m, int n)
{
    int tx = threadIdx.x; // column within the tile
    int ty = threadIdx.y; // row within the tile
    int ix = blockIdx.x * K + tx; // column of C
    int iy = blockIdx.y * K + ty; // row of C
    int iAT = blockIdx.x * K * n; // first tile of A^T
    int iA = blockIdx.y * K * n; // first tile of A
    float s = 0;

    // <lab
    // Make the rows of ATs longer by PAD.
    __shared__ float As[K][K], ATs[K][K];
    // lab>
    for (int t = 0; t < n / K; t++, iA += K, iAT += K) {
        As[ty][tx] = A[iA + ty * n + tx];
        // <lab
        // Your line of mmt2.cu.
        // lab>
        __syncthreads();

#pragma unroll
        for (int k = 0; k < K; k++)
            s += As[ty][k] * ATs[k][tx];
        __syncthreads();
    }
    C[iy * m + ix] = s;
}
