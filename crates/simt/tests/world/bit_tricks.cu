// Union of float and int, bit counts, byte permutations.
//@ buffer out u32 6 zero
//@ run bits <<<1, 1>>> (out)
//@ expect out 1065353216 8 24 2018915346 3 2147483648
union Bits { float f; unsigned u; struct { unsigned short lo, hi; } h; unsigned char c[4]; };
__device__ unsigned flip(Bits &b) { b.u ^= 0x80000000u; return b.u; }
__global__ void bits(unsigned *out)
{
    Bits b;
    b.f = 1.0f;
    out[0] = b.u;
    out[1] = __popc(0xff00);
    out[2] = __clz(0xff);
    out[3] = __byte_perm(0x12345678, 0, 0x0123);
    out[4] = __ffs(4);
    Bits z;
    z.u = 0;
    out[5] = flip(z);
}
int main() { Bits b; b.f = 2; return b.c[0]; }
