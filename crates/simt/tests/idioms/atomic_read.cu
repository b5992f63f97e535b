// A running total may be looked at by an atomic that adds nothing.
// Twin: looked at by a plain read.
//
//@ buffer total i32 1 zero
//@ buffer seen i32 1 zero
//@ run atomic_read <<<2, 32>>> (total, seen)
//@ expect total 64
//@ fault RACE-G

extern "C" __global__ void atomic_read(int *total, int *seen)
{
    atomicAdd(total, 1); // <- fault
#ifdef FAULTY
    int now = *total; // <- fault
#else
    int now = atomicAdd(total, 0);
#endif
    atomicMax(seen, now);
}
