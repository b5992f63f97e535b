// Floats in fewer bits by PTX: ties, what rounds up to the next power of two or to infinity, what
// is no number.
//@ buffer in u32 10 list 1065357312 3212840959 1065365504 1065385984 1065451520 1073741823 2139095039 4286578688 2141192192 4096
//@ buffer out u32 30 zero
//@ run narrow <<<1, 10>>> (out, in)
//@ expect out 1065361408 3212836864 1065369600 1065385984 1065451520 1073741824 2139095040 4286578688 2141192192 8192 16256 49024 16256 16256 16258 16384 32640 65408 32767 0 1065369472 3212885888 1065369472 1065369472 1065500546 1073758208 2139127680 4286644096 2147450879 0
extern "C" __global__ void narrow(unsigned *out, const unsigned *in)
{
    const float v = __uint_as_float(in[threadIdx.x]);
    unsigned tf32, both;
    unsigned short bf16;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(tf32) : "f"(v));
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bf16) : "f"(v));
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(v), "f"(v));
    out[threadIdx.x] = tf32;
    out[10 + threadIdx.x] = bf16;
    out[20 + threadIdx.x] = both;
}
