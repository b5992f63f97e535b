// Exercise 2.2.3: the tile of A^T is read along rows of A, so that neighbouring lanes read
// neighbouring words.
//
// C = A A^T as in mmt1.cu; only the line between the markers differs.

#ifndef K
#define K 16 // rows and columns of a tile
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

    __shared__ float As[K][K], ATs[K][K];
    for (int t = 0; t < n / K; t++, iA += K, iAT += K) {
        As[ty][tx] = A[iA + ty * n + tx];
        // <lab
        ATs[tx][ty] = A[iAT + ty * n + tx];
        //~ // In mmt1.cu: ATs[ty][tx] = A[iAT + tx * n + ty]; let lanes read neighbours.
        // lab>
        __syncthreads();

#pragma unroll
        for (int k = 0; k < K; k++)
            s += As[ty][k] * ATs[k][tx];
        __syncthreads();
    }
    C[iy * m + ix] = s;
}
