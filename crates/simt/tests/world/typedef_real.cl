// One source for two precisions.
//@ options -DDOUBLE
//@ buffer x f64 4 list 1 4 9 16
//@ run roots <<<4, 2>>> (x)
//@ expect x 1 2 3 4
#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
typedef double2 real2;
#else
typedef float real;
typedef float2 real2;
#endif
__kernel void roots(__global real *x)
{
    real2 v = (real2)(x[get_global_id(0)], (real)0);
    x[get_global_id(0)] = sqrt(v.x) + v.y;
}
