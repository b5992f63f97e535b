// Spellings of constness that compilers accept.
//@ buffer x i32 4 iota 1 1
//@ buffer y i32 4 zero
//@ run triple <<<4, 4>>> (x, y)
//@ expect y 3 6 9 12
#pragma OPENCL EXTENSION cl_khr_byte_addressable_store : enable
__constant int factor = 3;
static inline int times(__const int a, const int b) { return a * b; }
__kernel void triple(__global __const int *restrict x, __global int *restrict y)
{
    uint i = get_global_id(0);
    y[i] = times(x[i], factor);
}
