//@ error images of depths and of several samples are not supported: `image2d_depth_t`
__kernel void k(__read_only image2d_depth_t picture, __global float4 *out) // <- fault
{
    out[get_global_id(0)] = (float4)(1.0f);
}
