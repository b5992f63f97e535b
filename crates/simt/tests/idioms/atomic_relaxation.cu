// Shortest paths: distances are lowered by atomics, and a flag says that one has changed.
// Twin: distances are read plainly while others lower them.
//
//@ buffer distance i32 64 iota 100 -1
//@ buffer changed i32 1 zero
//@ run atomic_relaxation <<<1, 64>>> (distance, changed)
//@ expect changed 1
//@ fault RACE-G

extern "C" __global__ void atomic_relaxation(int *distance, int *changed)
{
    int to = (threadIdx.x + 1) % 64;
#ifdef FAULTY
    int mine = distance[threadIdx.x]; // <- fault
#else
    int mine = atomicAdd(&distance[threadIdx.x], 0);
#endif
    if (atomicMin(&distance[to], mine - 5) > mine - 5) // <- fault
        *changed = 1;
}
