// Look-back with flag and value in one word: no fence is needed.
// Twin: the word is written by a plain store.
//
//@ buffer state u32 4 zero
//@ buffer before u32 4 empty
//@ symbol drawn i32 1 zero
//@ run look_back_packed <<<4, 32>>> (state, before)
//@ expect before 0 1 3 6
//@ fault RACE-G

__device__ int drawn;

extern "C" __global__ void look_back_packed(unsigned *state, unsigned *before)
{
    if (threadIdx.x == 0) {
        int mine = atomicAdd(&drawn, 1);
        unsigned word = 1u << 31 | (mine + 1);
#ifdef FAULTY
        state[mine] = word;
#else
        atomicExch(&state[mine], word);
#endif
        unsigned sum = 0;
        for (int k = mine - 1; k >= 0; --k) {
            unsigned seen;
            do {
                seen = atomicAdd(&state[k], 0); // <- fault
            } while (seen == 0);
            sum += seen & 0x7fffffff;
        }
        before[mine] = sum;
    }
}
