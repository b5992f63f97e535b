// A product by compare-and-swap.
// Twin: exchanged instead of compared, so a factor may be lost.
//
//@ buffer p u32 1 fill 1
//@ run cas_multiply <<<2, 8>>> (p)
//@ expect p 43046721
//@ fault RACE-G

extern "C" __global__ void cas_multiply(unsigned *p)
{
#ifdef FAULTY
    atomicExch(p, *p * 3); // <- fault
#else
    unsigned old = *p, seen;
    do {
        seen = old;
        old = atomicCAS(p, seen, seen * 3);
    } while (old != seen);
#endif
}
