// Lanes with equal keys elect one of them, which adds for all.
// Twin: each adds, without an atomic.
//
//@ buffer bins i32 4 zero
//@ run warp_match_groups <<<1, 32>>> (bins)
//@ expect bins 8 8 8 8
//@ fault RACE-G

extern "C" __global__ void warp_match_groups(int *bins)
{
    int key = threadIdx.x % 4;
    unsigned mates = __match_any_sync(0xffffffff, key);
#ifdef FAULTY
    bins[key] += __popc(mates) + threadIdx.x; // <- fault
#else
    if (__ffs(mates) - 1 == threadIdx.x)
        bins[key] += __popc(mates);
#endif
}
