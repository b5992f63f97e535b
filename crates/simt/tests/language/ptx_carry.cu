// PTX: sums and differences of 96 bits with a carry, products added with it, the highest bit of a
// number, differences of bytes.
//
//@ buffer sum u32 3 zero
//@ buffer difference u32 3 zero
//@ buffer product u32 2 zero
//@ buffer bits i32 6 zero
//@ buffer bytes u32 2 zero
//@ run carry <<<1, 1>>> (sum, difference, product, 4294967290, 4294967295)
//@ run others <<<1, 1>>> (bits, bytes)
//@ expect sum 4294967289 5 11
//@ expect difference 4294967291 5 3
//@ expect product 5 4294967293
//@ expect bits 4 -1 4 63 5 -1
//@ expect bytes 265 16908802
extern "C" __global__ void carry(unsigned *sum, unsigned *difference, unsigned *product, unsigned a,
                                 unsigned b)
{
    asm("add.cc.u32 %0, %3, %6;\n\t"
        "addc.cc.u32 %1, %4, %7;\n\t"
        "addc.u32 %2, %5, %8;"
        : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2])
        : "r"(a), "r"(5), "r"(7), "r"(b), "r"(b), "r"(3));
    asm("sub.cc.u32 %0, %3, %6; subc.cc.u32 %1, %4, %7; subc.u32 %2, %5, %8;"
        : "=r"(difference[0]), "=r"(difference[1]), "=r"(difference[2])
        : "r"(a), "r"(5), "r"(7), "r"(b), "r"(b) "r"(3)); // nvcc does without the comma, too
    asm("mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, %5;"
        : "=r"(product[0]), "=r"(product[1])
        : "r"(a), "r"(b), "r"(b), "r"(3));
}

extern "C" __global__ void others(int *bits, unsigned *bytes)
{
    asm("bfind.u32 %0, %1;" : "=r"(bits[0]) : "r"(21));
    asm("bfind.u32 %0, %1;" : "=r"(bits[1]) : "r"(0));
    asm("bfind.s32 %0, %1;" : "=r"(bits[2]) : "r"(-20));
    asm("bfind.u64 %0, %1;" : "=r"(bits[3]) : "l"(~0ull));
    asm("bfind.shiftamt.u32 %0, %1;" : "=r"(bits[4]) : "r"(1u << 26));
    asm("bfind.shiftamt.u32 %0, %1;" : "=r"(bits[5]) : "r"(0));
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;"
        : "=r"(bytes[0])
        : "r"(0x01020304), "r"(0x02000502), "r"(258));
    asm("vabsdiff4.u32.u32.u32 %0, %1, %2, %3;"
        : "=r"(bytes[1])
        : "r"(0x01020304), "r"(0x02000502), "r"(0));
}
