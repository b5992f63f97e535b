// The loop on a word, in OpenCL C.
// Twin: read, multiplied, written.
//
//@ buffer p u32 1 fill 1
//@ run opencl_cmpxchg <<<16, 8>>> (p)
//@ expect p 43046721
//@ fault RACE-G

__kernel void opencl_cmpxchg(volatile __global unsigned int *p)
{
#ifdef FAULTY
    *p = *p * 3; // <- fault
#else
    unsigned int old = *p, seen;
    do {
        seen = old;
        old = atomic_cmpxchg(p, seen, seen * 3);
    } while (old != seen);
#endif
}
