// Volumes and layers: a ray through an image of three dimensions, a layer of an array, a sampler
// that the host sets, the modes at the edge, whole numbers and halves.
//@ buffer density f32 8 iota 1 1
//@ buffer ray f32 6 zero
//@ buffer layers i32 8 iota 10 1
//@ buffer picked i32 16 zero
//@ buffer line u8 4 list 10 20 30 40
//@ buffer edges u32 12 zero
//@ buffer halves u16 2 list 15872 49152
//@ buffer reals f32 4 zero
//@ texture volume density 2 2 2 1
//@ texture stack layers 2 2 2 1
//@ texture row line 4 1 1 1
//@ texture small halves 2 1 1 1
//@ run march <<<6, 6>>> (volume, 36, ray)
//@ run layer <<<1, 1>>> (stack, picked)
//@ run modes <<<12, 12>>> (row, edges)
//@ run from_halves <<<2, 2>>> (small, reals)
//@ expect ray 0 1.25 2.5 4.5 6.5 3.25
//@ expect picked 14 0 0 1 17 0 0 1 10 0 0 1 2 2 2 0
//@ expect edges 10 10 20 30 40 40 0 10 20 30 40 0
//@ expect reals 1.5 1 3 1
__kernel void march(__read_only image3d_t volume, sampler_t s, __global float *ray)
{
    const float z = (get_global_id(0) - 1.5f) * 0.5f;
    ray[get_global_id(0)] = read_imagef(volume, s, (float4)(1.0f, 1.0f, z + 0.25f, 0.0f)).x;
}
__kernel void layer(__read_only image2d_array_t stack, __global int4 *picked)
{
    const sampler_t s =
        CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST | CLK_NORMALIZED_COORDS_FALSE;
    picked[0] = read_imagei(stack, s, (int4)(0, 0, 1, 0));
    picked[1] = read_imagei(stack, s, (float4)(1.5f, 1.5f, 0.8f, 0.0f));
    picked[2] = read_imagei(stack, (int4)(0, 0, 0, 0));
    picked[3] = (int4)(get_image_dim(stack), (int)get_image_array_size(stack), 0);
}
__kernel void modes(__read_only image1d_t row, __global uint *out)
{
    const sampler_t edge =
        CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    const sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    const int i = get_global_id(0);
    out[i] = i < 6 ? read_imageui(row, edge, i - 1).x : read_imageui(row, border, i - 7).x;
}
__kernel void from_halves(__read_only image1d_t small, __global float2 *out)
{
    const sampler_t mirrored =
        CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_NEAREST;
    const sampler_t again = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
    if (get_global_id(0) == 0)
        out[0] = read_imagef(small, mirrored, -0.25f).xw;
    else
        out[1] = (float2)(read_imagef(small, mirrored, -0.25f).x -
                              read_imagef(small, again, -0.25f).x * 0.75f,
                          read_imagef(small, again, 1.25f).w);
}
