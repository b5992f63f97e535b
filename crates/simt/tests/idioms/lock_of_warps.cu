// The first lane of each warp takes a lock for its warp.
// Twin: the lanes of the warp update at once.
//
//@ buffer lock i32 1 zero
//@ buffer sum i32 1 zero
//@ run lock_of_warps <<<2, 128>>> (lock, sum)
//@ expect sum 8
//@ fault RACE-G

extern "C" __global__ void lock_of_warps(int *lock, int *sum)
{
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
    }
    __syncwarp();
#ifdef FAULTY
    *sum += 1 + threadIdx.x; // <- fault
    __threadfence();
#else
    if (threadIdx.x % 32 == 0) {
        *sum += 1;
        __threadfence();
    }
#endif
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        atomicExch(lock, 0);
}
