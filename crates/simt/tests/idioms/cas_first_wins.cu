// One thread of all wins a flag and alone writes.
// Twin: the flag is tested and set in two steps.
//
//@ buffer flag i32 1 zero
//@ buffer winners i32 1 zero
//@ run cas_first_wins <<<3, 32>>> (flag, winners)
//@ expect winners 1
//@ fault RACE-G

extern "C" __global__ void cas_first_wins(int *flag, int *winners)
{
#ifdef FAULTY
    if (*flag == 0) { // <- fault
        *flag = 1 + blockIdx.x; // <- fault
        *winners += 1;
    }
#else
    if (atomicCAS(flag, 0, 1) == 0)
        *winners += 1;
#endif
}
