extern "C" __global__ void f(unsigned *out)
{
    asm("mov.u32 %0, %laneid;" : "=r"(out[threadIdx.x]));
}
