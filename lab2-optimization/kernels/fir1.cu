// FIR filter, naive. yin, yout: one channel of len samples; coeff: n + 1 values; y[i] = sum over k
// = 0..n of yin[i-k] * coeff[k]. Thread i of the grid computes yout[i]; threads beyond len do
// nothing. Samples before the channel's first count as 0.

extern "C" __global__ void audiofir_kernel(float *yout, const float *yin, const float *coeff, int n,
                                           int len)
{
    // <lab
    // Which output is this thread's? Which products exist for it?
    // lab>
}
