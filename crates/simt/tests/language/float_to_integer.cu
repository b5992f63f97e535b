// From floats to whole numbers as nvcc makes it: small types by way of 32 bits, of which the lower
// ones are kept; beyond the end of the others their last number; what is no number.
//@ buffer f f32 4 list 300.7 -300.7 1e20 2.5
//@ buffer out i32 32 zero
//@ run narrow <<<1, 1>>> (out, f)
//@ expect out 44 44 -44 -300 255 -45 4 236 2147483647 -1 0 0 2147483647 -2147483648 0 0 0 -2147483648 0 -2147483648 -2147483648 -2147483648 0 -2147483648 0 -2147483648 44 2 300 0 0 0
extern "C" __global__ void narrow(int *out, const float *f)
{
    const float high = f[0], low = f[1], huge = f[2], half = f[3];
    const float none = huge * huge * (huge - huge); // infinity times zero
    const double wide_none = none;
    out[0] = (unsigned char)high;
    out[1] = (signed char)high;
    out[2] = (signed char)low;
    out[3] = (short)low;
    out[4] = (unsigned char)huge; // 0xffffffff
    out[5] = (signed char)(low - 1);
    out[6] = (unsigned char)(high - 40.0f) & 0xff;
    out[7] = (unsigned char)(double)(high - 64.0f);
    out[8] = (int)huge;
    out[9] = (int)(unsigned)huge;
    out[10] = (int)(unsigned)low;
    out[11] = (int)none;
    out[12] = (int)(double)huge;
    out[13] = (int)(double)-huge;
    out[14] = (int)(unsigned)(double)low;
    out[15] = (int)(unsigned)none;
    out[16] = (int)(long long)none;
    out[17] = (int)((long long)none >> 32);
    out[18] = (int)(unsigned long long)none;
    out[19] = (int)((unsigned long long)none >> 32);
    out[20] = (int)wide_none;
    out[21] = (int)(unsigned)wide_none;
    out[22] = (int)(long long)wide_none;
    out[23] = (int)((long long)wide_none >> 32);
    out[24] = (int)(unsigned long long)wide_none;
    out[25] = (int)((unsigned long long)wide_none >> 32);
    out[26] = (unsigned char)(high + 0.0f);
    out[27] = (unsigned char)half;
    out[28] = (unsigned short)high;
}
