// The program gives up by itself.
//
//@ run trap_reached <<<1, 64>>> (64)
//@ fault TRAP thread (63,0,0) block (0,0,0)
//@ sanitizer none

extern "C" __global__ void trap_reached(int n)
{
    if (threadIdx.x == n - 1)
        __trap(); // <- fault
}
