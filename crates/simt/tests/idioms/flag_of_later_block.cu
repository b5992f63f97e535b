// The first block waits for a flag that the last one sets, and reads `volatile` to see it. Twin:
// the flag is set before the value is there.
//
//@ buffer value i32 1 zero
//@ buffer flag i32 1 zero
//@ buffer out i32 1 zero
//@ run flag_of_later_block <<<3, 64>>> (value, flag, out)
//@ expect out 42
//@ fault RACE-G

extern "C" __global__ void flag_of_later_block(int *value, int *flag, int *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == gridDim.x - 1) {
#ifdef FAULTY
        atomicExch(flag, 1);
#endif
        *value = 42; // <- fault
#ifndef FAULTY
        __threadfence();
        atomicExch(flag, 1);
#endif
    } else if (blockIdx.x == 0) {
        while (atomicAdd(flag, 0) == 0)
            ;
        __threadfence();
        *out = *(volatile int *)value; // <- fault
    }
}
