// Saturating counters: an index into the bins, a compare-and-swap on the bin.
// Twin: read, add, write.
//
//@ buffer x u32 256 ints 3 0 3
//@ buffer bins u32 4 zero
//@ run cas_bins <<<4, 64>>> (x, bins)
//@ expect bins 20 20 20 20
//@ fault RACE-G

extern "C" __global__ void cas_bins(const unsigned *x, unsigned *bins)
{
    unsigned b = x[blockIdx.x * blockDim.x + threadIdx.x];
#ifdef FAULTY
    bins[b] = min(bins[b] + 1, 20u); // <- fault
#else
    unsigned old = bins[b], seen;
    do {
        seen = old;
        old = atomicCAS(&bins[b], seen, min(seen + 1, 20u));
    } while (old != seen);
#endif
}
