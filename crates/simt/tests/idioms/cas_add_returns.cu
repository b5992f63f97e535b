// The guide's loop with a volatile first read, and the value that it returns: the one before this
// thread's addition.
// Twin: the first read is handed out, which nothing has checked.
//
//@ buffer total i32 1 zero
//@ buffer low i32 1 fill 1000
//@ run cas_add_returns <<<2, 64>>> (total, low)
//@ expect total 128
//@ expect low 0
//@ fault RACE-G

__device__ int add(int *p, int v)
{
    int old = *(volatile int *)p, seen;
#ifdef FAULTY
    int first = old;
#endif
    do {
        seen = old;
        old = atomicCAS(p, seen, seen + v); // <- fault
    } while (seen != old);
#ifdef FAULTY
    return first;
#else
    return old;
#endif
}

extern "C" __global__ void cas_add_returns(int *total, int *low)
{
    atomicMin(low, add(total, 1));
}
