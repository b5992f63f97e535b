// Each block owns a word that it alone counts up; others may look by atomics.
// Twin: it counts by plain additions while others look.
//
//@ buffer owned i32 4 zero
//@ buffer seen i32 1 zero
//@ run publish_single_writer <<<4, 32>>> (owned, seen)
//@ expect owned 3 3 3 3
//@ fault RACE-G

extern "C" __global__ void publish_single_writer(int *owned, int *seen)
{
    if (threadIdx.x == 0) {
        for (int k = 0; k < 3; ++k)
#ifdef FAULTY
            owned[blockIdx.x] += 1; // <- fault
#else
            atomicAdd(&owned[blockIdx.x], 1);
#endif
        for (int k = 0; k < gridDim.x; ++k)
            atomicMax(seen, atomicAdd(&owned[k], 0)); // <- fault
    }
}
