// FIR filter with its coefficients in constant memory: fir_coeff[0..n], n <= N. yin and yout as in
// fir2.cu.

#define N 1024

// <lab
//~ // Declare fir_coeff here: N + 1 floats in constant memory.
__constant__ float fir_coeff[N + 1];
// lab>

extern "C" __global__ void audiofir_kernel(float *yout, const float *yin, int n)
{
    // <lab
    //~ // As in fir2.cu, with the coefficients from constant memory.
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    float acc = 0.0f;
    for (int k = 0; k <= n; k++)
        acc += yin[i - k] * fir_coeff[k];
    yout[i] = acc;
    // lab>
}
