// All blocks add to one word.
//
//@ buffer total i32 1 zero
//@ run counter_without_atomic <<<4, 64>>> (total)
//@ fault RACE-G total[0]
//@ sanitizer none

extern "C" __global__ void counter_without_atomic(int *total)
{
    if (threadIdx.x == 0)
        *total += 1; // <- fault
}
