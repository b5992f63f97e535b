// FIR filter with its coefficients in constant memory: fir_coeff[0..n], n <= N. yin and yout as in
// fir2.cu.

#define N 1024

// <lab
// Declare fir_coeff here: N + 1 floats in constant memory.
// lab>

extern "C" __global__ void audiofir_kernel(float *yout, const float *yin, int n)
{
    // <lab
    // As in fir2.cu, with the coefficients from constant memory.
    // lab>
}
