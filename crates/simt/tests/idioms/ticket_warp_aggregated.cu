// One atomic for the lanes of a warp; the others count the lanes before them.
// Twin: lanes that the leader does not speak for take the same places.
//
//@ buffer x i32 96 iota 0 1
//@ buffer out i32 96 fill -1
//@ buffer count i32 1 zero
//@ buffer sum i32 1 zero
//@ run ticket_warp_aggregated <<<1, 96>>> (x, out, count)
//@ run ticket_warp_aggregated_sum <<<1, 1>>> (out, sum)
//@ expect count 48
//@ expect sum 2256
//@ fault RACE-G

extern "C" __global__ void ticket_warp_aggregated(const int *x, int *out, int *count)
{
    int lane = threadIdx.x % 32, v = x[threadIdx.x];
    bool keep = v % 2 == 0;
    unsigned who = __ballot_sync(0xffffffff, keep);
    int first = 0;
    if (lane == 0)
        first = atomicAdd(count, __popc(who));
    first = __shfl_sync(0xffffffff, first, 0);
#ifdef FAULTY
    int before = __popc(who & ((1u << lane) - 1)) / 2;
#else
    int before = __popc(who & ((1u << lane) - 1));
#endif
    if (keep)
        out[first + before] = v; // <- fault
}

extern "C" __global__ void ticket_warp_aggregated_sum(const int *out, int *sum)
{
    for (int i = 0; i < 48; ++i)
        *sum += out[i];
}
