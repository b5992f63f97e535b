// Work-items of all groups take places.
// Twin: without an atomic.
//
//@ buffer count i32 1 zero
//@ buffer out i32 128 zero
//@ run opencl_counter <<<128, 32>>> (count, out)
//@ expect count 128
//@ fault RACE-G

__kernel void opencl_counter(__global int *count, __global int *out)
{
#ifdef FAULTY
    int place = *count;
    *count = place + 1; // <- fault
#else
    int place = atomic_inc(count);
#endif
    out[place] = 1; // <- fault
}
