// Smallest value with its index: both in one 64-bit word, so that they change together.
// Twin: two words, one after the other.
//
//@ buffer x u32 256 ints 9 1 100000
//@ buffer best u64 1 fill -1
//@ buffer low u32 1 fill 1000000
//@ buffer where u32 1 zero
//@ buffer same i32 1 zero
//@ run cas_packed_pair <<<4, 64>>> (x, best, low, where)
//@ run cas_packed_pair_check <<<1, 1>>> (x, best, same)
//@ expect same 1
//@ fault RACE-G

extern "C" __global__ void cas_packed_pair(const unsigned *x, unsigned long long *best,
                                           unsigned *low, unsigned *where)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
#ifdef FAULTY
    if (atomicMin(low, x[i]) > x[i])
        *where = i; // <- fault
    *best = 0;
#else
    unsigned long long mine = (unsigned long long)x[i] << 32 | i, old = *best, seen;
    do {
        seen = old;
        old = atomicCAS(best, seen, mine < seen ? mine : seen);
    } while (old != seen);
#endif
}

extern "C" __global__ void cas_packed_pair_check(const unsigned *x, const unsigned long long *best,
                                                 int *same)
{
    unsigned m = 0;
    for (unsigned i = 1; i < 256; ++i)
        if (x[i] < x[m])
            m = i;
    *same = *best == ((unsigned long long)x[m] << 32 | m);
}
