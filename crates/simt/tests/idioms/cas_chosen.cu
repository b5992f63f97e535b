// A new value that is chosen by what was read: with `?:`, with an early return, with an else-if.
// Twin: what was read decides whether there is an update at all, and it may be out of date.
//
//@ buffer x f32 256 rand 5 -10 10
//@ buffer best f32 3 zero
//@ buffer same i32 1 zero
//@ run cas_chosen <<<4, 64>>> (x, best)
//@ run cas_chosen_check <<<1, 1>>> (x, best, same)
//@ expect same 1
//@ fault RACE-G

__device__ float larger(float a, float b)
{
    if (isnan(a))
        return b;
    return a > b ? a : b;
}

extern "C" __global__ void cas_chosen(const float *x, float *best)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int *word = (int *)best;
    int old = word[0], seen;
    do {
        seen = old;
        float now = __int_as_float(seen);
        float next = isnan(now) || now < x[i] ? x[i] : fabsf(now);
#ifdef FAULTY
        if (now >= x[i]) // <- fault
            break;
#endif
        old = atomicCAS(word, seen, __float_as_int(next)); // <- fault
    } while (old != seen);

    do {
        seen = word[1];
    } while (atomicCAS(word + 1, seen, __float_as_int(larger(__int_as_float(seen), x[i]))) != seen);

    do {
        seen = word[2];
        float now = __int_as_float(seen), next;
        if (now > x[i])
            next = now;
        else if (isnan(now))
            next = 0;
        else
            next = x[i];
        old = atomicCAS(word + 2, seen, __float_as_int(next));
    } while (old != seen);
}

extern "C" __global__ void cas_chosen_check(const float *x, const float *best, int *same)
{
    float m = 0;
    for (int i = 0; i < 256; ++i)
        m = fmaxf(m, x[i]);
    *same = m == best[0] && m == best[1] && m == best[2];
}
