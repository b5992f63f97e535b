// Readers share a lock that a writer has alone: their number in one word, -1 for the writer.
// Twin: readers do not take the lock.
//
//@ buffer lock i32 1 zero
//@ buffer pair i32 2 zero
//@ buffer difference i32 6 zero
//@ run lock_of_readers <<<6, 1>>> (lock, pair, difference)
//@ expect difference 0 0 0 0 0 0
//@ expect pair 3 3
//@ fault RACE-G

extern "C" __global__ void lock_of_readers(int *lock, int *pair, int *difference)
{
    const int b = blockIdx.x;
    if (b % 2 == 0) {
        while (atomicCAS(lock, 0, -1) != 0) {
        }
        __threadfence();
        pair[0] += 1;
        pair[1] += 1;
        __threadfence();
        atomicExch(lock, 0);
        return;
    }
#ifndef FAULTY
    int readers;
    do {
        readers = atomicAdd(lock, 0);
    } while (readers < 0 || atomicCAS(lock, readers, readers + 1) != readers);
    __threadfence();
#endif
    difference[b] = pair[0] - pair[1]; // <- fault
#ifndef FAULTY
    __threadfence();
    atomicSub(lock, 1);
#endif
}
