// A value that is looked at as another type by its address, as headers for halves do: it passes
// through the thread's own memory. Twin: what was read goes to device memory, too.
//
//@ buffer sums u32 2 zero
//@ buffer last u32 1 zero
//@ buffer same i32 1 zero
//@ run cas_through_memory <<<8, 64>>> (sums, last)
//@ run cas_through_memory_check <<<1, 1>>> (sums, same)
//@ expect same 1
//@ fault RACE-G

#include <cuda_fp16.h>

__device__ void add_pair(__half2 *to, __half2 value)
{
    unsigned *word = reinterpret_cast<unsigned *>(to);
    unsigned old = *(volatile unsigned *)word, seen;
    do {
        seen = old;
        __half2 sum = __hadd2(*reinterpret_cast<__half2 *>(&seen), value);
        old = atomicCAS(word, seen, *reinterpret_cast<unsigned *>(&sum));
    } while (seen != old);
}

extern "C" __global__ void cas_through_memory(unsigned *sums, unsigned *last)
{
    add_pair((__half2 *)sums, __floats2half2_rn(1.0f, 0.5f));

    union {
        unsigned word;
        unsigned short parts[2];
    } now;
    unsigned old = sums[1], seen;
    do {
        seen = old;
        now.word = seen;
        now.parts[threadIdx.x & 1] += 1;
#ifdef FAULTY
        last[0] = now.word; // <- fault
#endif
        old = atomicCAS(sums + 1, seen, now.word); // <- fault
    } while (seen != old);
}

extern "C" __global__ void cas_through_memory_check(const unsigned *sums, int *same)
{
    __half2 pair = *(const __half2 *)sums;
    *same = __low2float(pair) == 512 && __high2float(pair) == 256 && sums[1] == 256 * 65537;
}
