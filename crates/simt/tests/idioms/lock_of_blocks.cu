// A lock around plain accesses: taken by compare-and-swap, given back by exchange, a fence on both
// sides.
// Twin: given back before the update.
//
//@ buffer lock i32 1 zero
//@ buffer sum i32 1 zero
//@ run lock_of_blocks <<<8, 32>>> (lock, sum)
//@ expect sum 8
//@ fault RACE-G

extern "C" __global__ void lock_of_blocks(int *lock, int *sum)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
#ifdef FAULTY
        atomicExch(lock, 0);
        *sum += 1; // <- fault
#else
        *sum += 1;
        __threadfence();
        atomicExch(lock, 0);
#endif
    }
}
