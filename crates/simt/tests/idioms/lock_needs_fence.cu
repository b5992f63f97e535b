// As the lock of blocks, around two words that belong together.
// Twin: no fence before the lock is given back.
//
//@ buffer lock i32 1 zero
//@ buffer pair i32 2 zero
//@ run lock_needs_fence <<<4, 32>>> (lock, pair)
//@ expect pair 4 8
//@ fault RACE-G

extern "C" __global__ void lock_needs_fence(int *lock, int *pair)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        pair[0] += 1; // <- fault
        pair[1] += 2;
#ifndef FAULTY
        __threadfence();
#endif
        atomicExch(lock, 0);
    }
}
