// Iterated until nothing changes: a flag per sweep, the values in two buffers.
// Twin: one buffer.
//
//@ buffer a i32 64 iota 0 1
//@ buffer b i32 64 iota 0 1
//@ buffer changed i32 1 zero
//@ run flag_converged <<<2, 32>>> (a, b, changed)
//@ expect changed 1
//@ fault RACE-G

extern "C" __global__ void flag_converged(const int *a, int *b, int *changed)
{
    int i = blockIdx.x * 32 + threadIdx.x;
#ifdef FAULTY
    const int *from = b;
#else
    const int *from = a;
#endif
    int left = from[(i + 63) % 64]; // <- fault
    if (left != from[i]) { // <- fault
        b[i] = left; // <- fault
        *changed = 1;
    }
}
