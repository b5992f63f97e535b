// A counter is cleared before it counts.
// Twin: it is not.
//
//@ buffer count i32 1 empty
//@ run undefined_counter_clear <<<1, 1>>> (count)
//@ run undefined_counter <<<2, 32>>> (count)
//@ expect count 64
//@ fault UNINIT

extern "C" __global__ void undefined_counter_clear(int *count)
{
#ifndef FAULTY
    *count = 0;
#endif
}

extern "C" __global__ void undefined_counter(int *count)
{
    atomicAdd(count, 1); // <- fault
}
