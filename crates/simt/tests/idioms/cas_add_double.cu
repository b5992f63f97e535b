// Any operation becomes atomic by compare-and-swap. The first read is a plain one: if it is late,
// the swap fails.
// Twin: no swap at all.
//
//@ buffer x f64 128 iota 0 1
//@ buffer sum f64 1 zero
//@ run cas_add_double <<<4, 32>>> (x, sum)
//@ expect sum 8128
//@ fault RACE-G

__device__ void add(double *p, double v)
{
#ifdef FAULTY
    *p = *p + v; // <- fault
#else
    unsigned long long *word = (unsigned long long *)p, old = *word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, __double_as_longlong(v + __longlong_as_double(seen)));
    } while (seen != old);
#endif
}

extern "C" __global__ void cas_add_double(const double *x, double *sum)
{
    add(sum, x[blockIdx.x * 32 + threadIdx.x]);
}
