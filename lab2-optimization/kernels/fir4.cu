// FIR filter with a tile of samples in shared memory. yin and yout as in fir2.cu; K threads per
// block, n <= N. Block b computes outputs bK .. bK+K-1. It needs the samples bK-n .. bK+K-1: entry
// p of the tile holds sample bK-n+p. The barrier must be reached by all threads of the block.

#define N 1024
#ifndef K
#define K 512
#endif

__constant__ float fir_coeff[N + 1];

extern "C" __global__ void audiofir_kernel(float *yout, const float *yin, int n)
{
    __shared__ float ytile[N + K];
    // <lab
    // 1. All threads fill ytile[0 .. n+K-1], neighbours side by side.  2. Wait.  3. Sum up.
    // lab>
}
