// Every work-item that finds something says so.
// Twin: it says which.
//
//@ buffer found i32 1 zero
//@ run opencl_same_value <<<128, 32>>> (found)
//@ expect found 1
//@ fault RACE-G

__kernel void opencl_same_value(__global int *found)
{
    int i = get_global_id(0);
    if (i % 7 == 3)
#ifdef FAULTY
        *found = i; // <- fault
#else
        *found = 1;
#endif
}
