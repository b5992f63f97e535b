// A maximum of floats by compare-and-swap on their bits; the word is read anew in each turn.
// Twin: a look before the swap decides, and it may be out of date.
//
//@ buffer x f32 256 rand 5 0 10
//@ buffer best f32 1 zero
//@ buffer same i32 1 zero
//@ run cas_max_float <<<4, 64>>> (x, best)
//@ run cas_max_float_check <<<1, 1>>> (x, best, same)
//@ expect same 1
//@ fault RACE-G

extern "C" __global__ void cas_max_float(const float *x, float *best)
{
    float v = x[blockIdx.x * 64 + threadIdx.x];
    int *word = (int *)best;
#ifdef FAULTY
    if (*best >= v) // <- fault
        return;
#endif
    int seen, next;
    do {
        seen = *word;
        next = __float_as_int(fmaxf(v, __int_as_float(seen)));
    } while (atomicCAS(word, seen, next) != seen); // <- fault
}

extern "C" __global__ void cas_max_float_check(const float *x, const float *best, int *same)
{
    float m = 0;
    for (int i = 0; i < 256; ++i)
        m = fmaxf(m, x[i]);
    *same = m == *best;
}
