extern "C" __global__ void f(unsigned *out)
{
    asm volatile("mbarrier.inval.b64 [%0];" ::"l"(out));
}
