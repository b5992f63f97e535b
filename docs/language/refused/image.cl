__kernel void f(__read_only image2d_t picture, __global float4 *out)
{
    out[get_global_id(0)] = 0.0f;
}
