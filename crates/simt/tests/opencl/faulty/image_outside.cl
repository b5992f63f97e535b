//@ buffer texels f32 8 iota 0 1
//@ buffer out f32 12 zero
//@ texture row texels 8 1 1 1
//@ run shift <<<9, 9>>> (row, out)
//@ fault ASSERT thread (8,0,0)
__kernel void shift(__read_only image1d_t row, __global float *out)
{
    const sampler_t unchecked = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
    out[get_global_id(0)] = read_imagef(row, unchecked, (int)get_global_id(0)).x; // <- fault
}
