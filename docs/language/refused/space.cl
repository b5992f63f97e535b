__kernel void f(__global float *x)
{
    float *row = x + 8 * get_global_id(0);
    row[0] = 0.0f;
}
