// Device code cannot call host code.
//
//@ error host
//@ sanitizer none

int round_up(int n) { return (n + 31) / 32 * 32; }

extern "C" __global__ void host_function_called(int *c)
{
    c[threadIdx.x] = round_up(threadIdx.x); // <- fault
}
