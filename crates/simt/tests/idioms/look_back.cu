// Decoupled look-back: each block publishes its sum behind a fence and a flag, and adds up those
// before it.
// Twin: the flag is up before the sum can be seen.
//
//@ buffer state i32 4 zero
//@ buffer sums i32 4 empty
//@ buffer before i32 4 empty
//@ symbol drawn i32 1 zero
//@ run look_back <<<4, 32>>> (state, sums, before)
//@ expect before 0 1 3 6
//@ fault RACE-G

__device__ int drawn;

extern "C" __global__ void look_back(int *state, int *sums, int *before)
{
    if (threadIdx.x == 0) {
        int mine = atomicAdd(&drawn, 1);
#ifdef FAULTY
        atomicExch(&state[mine], 1);
        sums[mine] = mine + 1;
#else
        sums[mine] = mine + 1;
        __threadfence();
        atomicExch(&state[mine], 1);
#endif
        int sum = 0;
        for (int k = mine - 1; k >= 0; --k) {
            while (atomicAdd(&state[k], 0) == 0) {
            }
            __threadfence();
            sum += sums[k]; // <- fault
        }
        before[mine] = sum;
    }
}
