// One work-item, as FPGA compilers like it: a shift register holds two rows of the picture, so that
// each point is read once.
//
//@ buffer in i32 512 ints 47 -50 50
//@ buffer out i32 512 zero
//@ run smooth <<<1, 1>>> (in, out, 32)
//@ count gld_lane 528 : every point once, and one row more to fill the register
//@ check out exact

#define NX 16

__attribute__((task))
__kernel void smooth(__global const int *restrict in, __global int *restrict out, const int ny)
{
    int shift[2 * NX + 1];
#pragma unroll
    for (int i = 0; i <= 2 * NX; ++i)
        shift[i] = 0;
    for (int p = 0; p < (ny + 1) * NX; ++p) {
#pragma unroll
        for (int i = 0; i < 2 * NX; ++i)
            shift[i] = shift[i + 1];
        shift[2 * NX] = p < ny * NX ? in[p] : in[p - ny * NX] * 0;
        const int centre = p - NX, x = centre % NX, y = centre / NX;
        if (centre >= 0 && x > 0 && x < NX - 1 && y > 0 && y < ny - 1)
            out[centre] = shift[0] + shift[NX - 1] + shift[NX + 1] + shift[2 * NX] - 4 * shift[NX];
    }
}
