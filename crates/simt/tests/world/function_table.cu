// In the manner of the samples' FunctionPointers: a table of device functions, chosen by a number,
// and pointers in variables of the device.
//@ buffer in u8 9 list 10 20 30 40 50 60 70 80 90
//@ buffer out i32 4 zero
//@ run apply <<<1, 1>>> (out, in, 0)
//@ run apply <<<1, 1>>> (out, in, 1)
//@ run apply <<<1, 1>>> (out, in, 2)
//@ expect out 80 100 50 0
#include <stdio.h>
#include <helper_cuda.h>
typedef unsigned char Pixel;
typedef unsigned char (*blockFunction_t)(Pixel, Pixel, Pixel, Pixel, Pixel, Pixel, Pixel, Pixel,
                                         Pixel, float);
typedef unsigned char (*pointFunction_t)(unsigned char, float);
__device__ unsigned char Threshold(unsigned char in, float thresh)
{ return in > thresh ? 0xFF : 0; }
__device__ unsigned char Keep(unsigned char in, float) { return in; }
__device__ unsigned char ComputeSobel(Pixel ul, Pixel um, Pixel ur, Pixel ml, Pixel mm, Pixel mr,
                                      Pixel ll, Pixel lm, Pixel lr, float fScale)
{
    short Horz = ur + 2 * mr + lr - ul - 2 * ml - ll;
    return (unsigned char)(fScale * abs((int)Horz));
}
__device__ unsigned char ComputeBox(Pixel ul, Pixel um, Pixel ur, Pixel ml, Pixel mm, Pixel mr,
                                    Pixel ll, Pixel lm, Pixel lr, float fscale)
{
    short Sum = (short)(ul + um + ur + ml + mm + mr + ll + lm + lr) / 9;
    Sum *= fscale;
    return (unsigned char)((Sum < 0) ? 0 : ((Sum > 255) ? 255 : Sum));
}
__device__ unsigned char Middle(Pixel, Pixel, Pixel, Pixel, Pixel mm, Pixel, Pixel, Pixel, Pixel,
                                float)
{ return mm; }
__device__ blockFunction_t blockFunction_table[3] = { ComputeSobel, ComputeBox, Middle };
__device__ pointFunction_t pointFunction_table[] = { Keep, Threshold };
__global__ void apply(int *out, const Pixel *p, int which)
{
    blockFunction_t operation = blockFunction_table[which];
    Pixel v = (*operation)(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8],
                           which == 1 ? 2.0f : 1.0f);
    out[which] = (*pointFunction_table[0])(v, 60.0f);
}
int main()
{
    blockFunction_t h_table[2];
    checkCudaErrors(cudaMemcpyFromSymbol(h_table, blockFunction_table, sizeof(h_table)));
    return 0;
}
