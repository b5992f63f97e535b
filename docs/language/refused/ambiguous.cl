__kernel void f(__global float *x)
{
    x[get_global_id(0)] = fmax(x[get_global_id(0)], 0.0);
}
