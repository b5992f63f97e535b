// Each kept element takes a place of its own.
// Twin: the counter is read and written.
//
//@ buffer x i32 128 iota 0 1
//@ buffer out i32 64 empty
//@ buffer count i32 1 zero
//@ run ticket_compaction <<<2, 64>>> (x, out, count)
//@ expect count 64
//@ fault RACE-G

extern "C" __global__ void ticket_compaction(const int *x, int *out, int *count)
{
    int v = x[blockIdx.x * 64 + threadIdx.x];
    if (v % 2 == 0) {
#ifdef FAULTY
        int place = *count;
        *count = place + 1 + v; // <- fault
        out[v / 2] = place;
#else
        out[atomicAdd(count, 1)] = v;
#endif
    }
}
