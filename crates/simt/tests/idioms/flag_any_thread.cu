// Whoever finds something says so: all store the same value.
// Twin: each stores its own.
//
//@ buffer x i32 256 iota 0 1
//@ buffer found i32 1 zero
//@ run flag_any_thread <<<4, 64>>> (x, found)
//@ expect found 1
//@ fault RACE-G

extern "C" __global__ void flag_any_thread(const int *x, int *found)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    if (x[i] % 10 == 7) {
#ifdef FAULTY
        *found = i; // <- fault
#else
        *found = 1;
#endif
    }
}
