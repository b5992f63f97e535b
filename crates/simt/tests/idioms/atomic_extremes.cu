// Smallest and largest by atomics.
// Twin: compared and stored.
//
//@ buffer x i32 128 ints 7 -50 50
//@ buffer ends i32 2 list 1000 -1000
//@ buffer same i32 1 zero
//@ run atomic_extremes <<<2, 64>>> (x, ends)
//@ run atomic_extremes_check <<<1, 1>>> (x, ends, same)
//@ expect same 1
//@ fault RACE-G

extern "C" __global__ void atomic_extremes(const int *x, int *ends)
{
    int v = x[blockIdx.x * 64 + threadIdx.x];
#ifdef FAULTY
    if (v < ends[0])
        ends[0] = v; // <- fault
#else
    atomicMin(&ends[0], v);
#endif
    atomicMax(&ends[1], v);
}

extern "C" __global__ void atomic_extremes_check(const int *x, const int *ends, int *same)
{
    int low = x[0], high = x[0];
    for (int i = 1; i < 128; ++i) {
        low = min(low, x[i]);
        high = max(high, x[i]);
    }
    *same = low == ends[0] && high == ends[1];
}
