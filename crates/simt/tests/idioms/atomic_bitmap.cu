// Bits of one word set by different threads.
// Twin: read, set, written.
//
//@ buffer map u32 4 zero
//@ run atomic_bitmap <<<2, 64>>> (map)
//@ expect map 4294967295 4294967295 4294967295 4294967295
//@ fault RACE-G

extern "C" __global__ void atomic_bitmap(unsigned *map)
{
    int i = blockIdx.x * 64 + threadIdx.x;
#ifdef FAULTY
    map[i / 32] |= 1u << i % 32; // <- fault
#else
    atomicOr(&map[i / 32], 1u << i % 32);
#endif
}
