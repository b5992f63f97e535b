// `constexpr` alone leaves a function the host's: its value may be used where a constant is wanted,
// but it cannot be called at run time.
//
//@ error constexpr
//@ sanitizer none

constexpr int round_up(int n) { return (n + 31) / 32 * 32; }

extern "C" __global__ void constexpr_of_the_host(int *c)
{
    __shared__ int rows[round_up(33)];
    constexpr int width = round_up(5);
    rows[threadIdx.x] = width;
    c[threadIdx.x] = rows[threadIdx.x] + round_up(threadIdx.x); // <- fault
}
