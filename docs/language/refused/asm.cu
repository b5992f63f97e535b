extern "C" __global__ void f(unsigned *out)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(0), "l"(out));
}
