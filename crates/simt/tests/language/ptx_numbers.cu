// Inline PTX that saturates, compares in steps, works on pairs of bfloat16 and on a whole warp;
// notes between instructions.
//@ buffer out u32 56 zero
//@ run numbers <<<1, 32>>> (out)
//@ expect out 255 0 0 4294967168 127 1065353216 1 0 1 0 7 9 3 3221225473 1 286331391 16776960 1065353216 1081098432 1073758208 1082146816 2 496 31 31 4294967295 262148 1 0 0 25 1 5 11 4 36 1065353216 1065353216 3 2 3154165760 1006649344 16256 3154116608 1073759232 1082146816 1006649344 1073759232 16256 15 4294967295 0 4294967295 0 188 1
extern "C" __global__ void numbers(unsigned *out)
{
    unsigned r, s, lane = threadIdx.x;
    int i;
    float f;
    unsigned long long wide;
    __shared__ int shared[4];
    // Results go from each lane's own place, so that no two write the same.
#define OUT(n, v)                                                                                  \
    if (lane == 0)                                                                                 \
        out[n] = (v);
    asm("cvt.rni.sat.u8.f32 %0, %1;" : "=r"(r) : "f"(300.4f));
    OUT(0, r)
    asm("cvt.rni.sat.u8.f32 %0, %1;" : "=r"(r) : "f"(-3.0f));
    OUT(1, r)
    asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(i) : "f"(__int_as_float(0x7fffffff)));
    OUT(2, i)
    asm("cvt.rzi.sat.s8.f32 %0, %1;" : "=r"(i) : "f"(-300.0f));
    OUT(3, i)
    asm("cvt.sat.s8.s32 %0, %1;" : "=r"(i) : "r"(1000));
    OUT(4, i)
    asm("add.sat.f32 %0, %1, %2;" : "=f"(f) : "f"(0.75f), "f"(0.5f));
    OUT(5, __float_as_uint(f))
    asm("{ .reg .pred p, q; setp.gt.s32 p, %1, 2; setp.lt.and.s32 q, %1, 5, p;"
        " selp.u32 %0, 1, 0, q; }"
        : "=r"(r) : "r"(3));
    OUT(6, r)
    asm("{ .reg .pred p, q; setp.gt.s32 p, %1, 2; setp.lt.and.s32 q, %1, 5, !p;"
        " selp.u32 %0, 1, 0, q; }"
        : "=r"(r) : "r"(3));
    OUT(7, r)
    asm("{ .reg .pred p, q; setp.eq.u32 p|q, %2, 3; selp.u32 %0, 1, 0, p; selp.u32 %1, 1, 0, q; }"
        : "=r"(r), "=r"(s) : "r"(3));
    OUT(8, r)
    OUT(9, s)
    asm("slct.u32.s32 %0, %2, %3, %4; slct.u32.s32 %1, %2, %3, %5;"
        : "=r"(r), "=r"(s) : "r"(7), "r"(9), "r"(0), "r"(-1));
    OUT(10, r)
    OUT(11, s)
    asm("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(0xc0000000), "r"(0), "r"(2));
    OUT(12, r)
    asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(7), "r"(3), "r"(2));
    OUT(13, r)
    asm("copysign.f32 %0, %1, %2;" : "=f"(f) : "f"(-1.0f), "f"(2.0f));
    OUT(14, f == -2.0f)
    asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(0x11), "r"(-1), "r"(0x1111));
    OUT(15, r)
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(300), "r"(-1), "r"(0x1ff));
    OUT(16, r & 0xffffff)
    asm("cvt.f32.bf16 %0, %1;" : "=f"(f) : "h"((unsigned short)0x3f80));
    OUT(17, __float_as_uint(f))
    asm("fma.rn.bf16x2 %0, %1, %1, %1;" : "=r"(r) : "r"(0x3fc04000)); // 1.5 1.5 + 1.5, 2 2 + 2
    OUT(18, r)
    asm("mul.bf16x2 %0, %1, %2;" : "=r"(r) : "r"(0x3f804000), "r"(0x40003fa0));
    OUT(19, r - 0x20)
    asm("max.bf16x2 %0, %1, %2;" : "=r"(r) : "r"(0x40804000), "r"(0xc0803f80));
    OUT(20, r)
    asm("/* a note */ .pragma \"nounroll\"; mov.u32 %0, /* and\n one of two lines */ 2;" : "=r"(r));
    OUT(21, r)
    asm volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(lane));
    OUT(22, r)
    asm volatile("redux.sync.max.s32 %0, %1, 0xffffffff;" : "=r"(i) : "r"((int)lane));
    OUT(23, i)
    asm volatile("redux.sync.or.b32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(lane));
    OUT(24, r)
    asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(5));
    OUT(25, r)
    s = lane % 16 == 2 ? 1 : lane + 40;
    asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(s));
    r = __shfl_sync(0xffffffffu, r, 2);
    OUT(26, r)
    asm("{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "l"(shared));
    OUT(27, r)
    asm("{ .reg .pred p; isspacep.global p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "l"(shared));
    OUT(28, r)
    asm("{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "l"(out));
    OUT(29, r)
    asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(i) : "r"(0x00020003), "r"(0x0706ff09), "r"(0));
    OUT(30, i)
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(wide));
    OUT(31, wide != 0)
    asm("fns.b32 %0, %1, 0, 3;" : "=r"(r) : "r"(0x2c));
    OUT(32, r)
    // Each lane adds, or counts up to 10 and begins anew.
    if (lane == 0)
        asm volatile("red.global.add.u32 [%0], 11;" ::"l"(out + 33) : "memory");
    if (lane == 0) {
        for (int n = 0; n < 15; ++n)
            asm volatile("atom.global.inc.u32 %0, [%1], 10;" : "=r"(r) : "l"(out + 34) : "memory");
    }
    asm("{ .reg .u32 a; .reg .pred p; mov.u32 a, 6; mul.lo.u32 %0, a, a; }" : "=r"(r));
    OUT(35, r)
    asm("fma.rn.sat.f32 %0, %1, %1, %1;" : "=f"(f) : "f"(2.0f));
    OUT(36, __float_as_uint(f))
    asm("mul.sat.f32 %0, %1, %1;" : "=f"(f) : "f"(1.0f));
    OUT(37, __float_as_uint(f))
    asm("{ .reg .pred p, q; setp.eq.u32 p, 1, 1; setp.eq.xor.u32 q, %1, 3, p;"
        " selp.u32 %0, 1, 3, q; }"
        : "=r"(r) : "r"(3));
    OUT(38, r)
    asm("{ .reg .pred p, q; setp.ne.u32 p, 1, 1; setp.eq.or.u32 q, %1, 3, p;"
        " selp.u32 %0, 2, 3, q; }"
        : "=r"(r) : "r"(3));
    OUT(39, r)
    asm("neg.f16x2 %0, %1;" : "=r"(r) : "r"(0x3c004000)); // 1, 2
    OUT(40, r)
    asm("abs.f16x2 %0, %1;" : "=r"(r) : "r"(0xbc004000));
    OUT(41, r)
    unsigned short h;
    asm("abs.bf16 %0, %1;" : "=h"(h) : "h"((unsigned short)0xbf80));
    OUT(42, h)
    asm("tanh.approx.f16x2 %0, %1;" : "=r"(r) : "r"(0xfc000000)); // -infinity, 0
    OUT(43, r)
    asm("ex2.approx.f16x2 %0, %1;" : "=r"(r) : "r"(0x3c004000));
    OUT(44, r)
    asm("ex2.approx.ftz.bf16x2 %0, %1;" : "=r"(r) : "r"(0x40003f80));
    OUT(45, r)
    if (lane == 0) { // 1, 2 to 0, 0; then 1, 2 once more
        asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(out + 46), "r"(0x3c004000)
                     : "memory");
        asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(out + 47), "r"(0x3c004000)
                     : "memory");
        asm volatile("atom.global.add.noftz.f16x2 %0, [%1], %2;"
                     : "=r"(r)
                     : "l"(out + 47), "r"(0x3c004000)
                     : "memory");
        asm volatile("red.global.add.noftz.bf16 [%0], %1;" ::"l"(out + 48),
                     "h"((unsigned short)0x3f80)
                     : "memory");
    }
    // Fields that end beyond the number, or begin there, or are empty.
    const int x = 0xf0000001;
    asm("bfe.u32 %0, %1, %2, 8;" : "=r"(r) : "r"(x), "r"(28));
    OUT(49, r)
    asm("bfe.s32 %0, %1, %2, 8;" : "=r"(i) : "r"(x), "r"(28));
    OUT(50, i)
    asm("bfe.u32 %0, %1, %2, 8;" : "=r"(r) : "r"(x), "r"(32));
    OUT(51, r)
    asm("bfe.s32 %0, %1, %2, 8;" : "=r"(i) : "r"(x), "r"(40));
    OUT(52, i)
    asm("bfe.s32 %0, %1, 0, %2;" : "=r"(i) : "r"(x), "r"(0));
    OUT(53, i)
    asm("bfe.u64 %0, %1, 4, 8;" : "=l"(wide) : "l"(0xabcdull));
    OUT(54, (unsigned)wide)
    asm("{ .reg .pred p, q; setp.ne.f32 p|q, %1, %1; selp.u32 %0, 2, 0, p; @q add.u32 %0, %0, 1; }"
        : "=r"(r) : "f"(__int_as_float(0x7fffffff)));
    OUT(55, r)
}
