// FIR filter of order N, known to the compiler. yin and yout as in fir2.cu; K threads per block;
// the filter's order must be N. Another order is another compilation: -DN=100. The memory for the
// coefficients is the same for all orders.

#ifndef N
#define N 1024
#endif
#ifndef K
#define K 512
#endif

__constant__ float fir_coeff[1025];

extern "C" __global__ void audiofir_kernel(float *yout, const float *yin)
{
    __shared__ float ytile[N + K];
    // <lab
    // As in fir4.cu, with N in place of n everywhere; ask for the tap loop to be unrolled.
    // lab>
}
