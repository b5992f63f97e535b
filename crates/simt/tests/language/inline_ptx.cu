// Inline PTX of the common kind.
//
//@ buffer out u32 32 zero
//@ buffer in u32 8 list 10 20 30 40 50 60 70 80
//@ run inline_ptx <<<1, 32>>> (out, in)
//@ expect out 31 7 22 60 170 3 1065353216 4294967294 5 60 7 240 2 30 40 3 1 100 1 2 4660 22136 7 3 6 255 0 9 12 32 17 2147483647

__device__ unsigned lane()
{
    unsigned r;
    asm("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}

__device__ __forceinline__ unsigned int __laneid()
{
    unsigned int laneid;
    asm volatile("mov.u32 %0, %laneid;" : "=r"(laneid));
    return laneid;
}

__device__ unsigned before()
{
    unsigned r;
    asm volatile("mov.u32 %0, %lanemask_lt;" : "=r"(r));
    return __popc(r);
}

extern "C" __global__ void inline_ptx(unsigned *out, unsigned *in)
{
    unsigned r, s, t;
    int i;
    float f;
    unsigned long long wide;
    asm volatile("bar.sync 0;");
    if (lane() == 31)
        out[0] = before() + __laneid() - 31;
    if (threadIdx.x != 0)
        return;
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(2), "r"(3), "r"(1));
    out[1] = r;
    asm("add.s32 %0, %1, %2;" : "=r"(i) : "r"(25), "n"(-3));
    out[2] = i;
    asm("ld.global.cg.u32 %0, [%1+20];" : "=r"(r) : "l"(in));
    out[3] = r;
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r) : "r"(0xf0), "r"(0x3c), "r"(0x66));
    out[4] = r;
    asm("bfe.u32 %0, %1, 4, 2;" : "=r"(r) : "r"(0x37));
    out[5] = r;
    asm("mov.b32 %0, %1;" : "=r"(r) : "f"(1.0f));
    out[6] = r;
    asm("cvt.rni.s32.f32 %0, %1;" : "=r"(i) : "f"(-2.4f));
    out[7] = i;
    asm("{ .reg .pred p; setp.gt.u32 p, %1, 3; selp.u32 %0, 5, 6, p; }" : "=r"(r) : "r"(4));
    out[8] = r;
    asm("{\n\t.reg .u32 t1;\n\tadd.u32 t1, %1, %2;\n\tshl.b32 %0, t1, 2;\n\t}"
        : "=r"(r)
        : "r"(7), "r"(8));
    out[9] = r;
    asm("st.global.cs.u32 [%0], %1;" ::"l"(out + 10), "r"(7) : "memory");
    asm("prmt.b32 %0, %1, %2, 0x4440;" : "=r"(r) : "r"(0xf0), "r"(0));
    out[11] = r;
    asm("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(r), "=r"(s), "=r"(t), "=r"(out[14])
        : "l"(in));
    out[12] = s / r;
    out[13] = t;
    asm("popc.b32 %0, %1;" : "=r"(r) : "r"(0x70));
    out[15] = r;
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(f) : "f"(2.0f), "f"(3.0f), "f"(-5.0f));
    out[16] = f;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide) : "r"(0x80000000), "r"(200));
    out[17] = wide >> 32;
    asm("mov.b64 %0, {%1, %2};" : "=l"(wide) : "r"(1), "r"(2));
    asm("mov.b64 {%0, %1}, %2;" : "=r"(out[18]), "=r"(out[19]) : "l"(wide));
    asm("mov.b32 {%0, %1}, %2;"
        : "=h"(*(unsigned short *)&out[21]), "=h"(*(unsigned short *)&out[20])
        : "r"(0x12345678));
    asm("bfi.b32 %0, %1, %2, 0, 3;" : "=r"(r) : "r"(0xf), "r"(0));
    out[22] = r;
    asm("min.s32 %0, %1, %2;" : "=r"(i) : "r"(3), "r"(9));
    out[23] = i;
    asm("{ .reg .pred q; setp.eq.s32 q, %1, 0; @!q add.s32 %0, %1, 1; }" : "=r"(i) : "r"(5));
    out[24] = i;
    asm("shr.u32 %0, %1, 24;" : "=r"(r) : "r"(0xff000000));
    out[25] = r;
    asm("shl.b32 %0, %1, 32;" : "=r"(r) : "r"(1));
    out[26] = r;
    asm volatile("atom.global.add.u32 %0, [%1], 9;" : "=r"(r) : "l"(out + 27));
    asm volatile("red.global.max.u32 [%0], %1;" ::"l"(out + 28), "r"(12));
    asm("mov.u32 %0, %ntid.x;" : "=r"(out[29]));
    asm("sub.u32 %0, %1, 0x3;" : "=r"(out[30]) : "r"(20));
    asm("mov.s32 %0, 2147483647;" : "=r"(i));
    out[31] = i;
}
