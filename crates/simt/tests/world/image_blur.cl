// Filters of a photograph in images: the mean of eight neighbours by whole coordinates, a picture
// at half size by a linear sampler, and bytes that are read as 0 to 1.
//@ buffer in f32 64 iota 0 1
//@ buffer out f32 64 zero
//@ buffer small f32 16 zero
//@ buffer bytes u8 16 list 0 255 255 102 0 0 255 153 255 255 255 255 255 0 0 0
//@ buffer grey f32 4 zero
//@ texture picture in 4 4 1 4
//@ texture result out 4 4 1 4
//@ texture tiny small 2 2 1 4
//@ texture pixels bytes 2 2 1 4 values
//@ run blur <<<(4,4), (2,2)>>> (picture, result)
//@ run halve <<<(2,2), (2,2)>>> (picture, tiny)
//@ run luminance <<<(2,2), (2,2)>>> (pixels, grey)
//@ run invert <<<(2,2), (2,2)>>> (pixels)
//@ expect small 10 11 12 13 18 19 20 21 42 43 44 45 50 51 52 53
//@ expect bytes 255 0 0 153 255 255 0 102 0 0 0 0 0 255 255 255
//@ expect out 7.5 8.5 9.5 10.5 10 11 12 13 14 15 16 17 16.5 17.5 18.5 19.5 17.5 18.5 19.5 20.5 20 21 22 23 24 25 26 27 26.5 27.5 28.5 29.5 33.5 34.5 35.5 36.5 36 37 38 39 40 41 42 43 42.5 43.5 44.5 45.5 43.5 44.5 45.5 46.5 46 47 48 49 50 51 52 53 52.5 53.5 54.5 55.5
//@ expect grey 0.30000001192092896 0.15000000596046448 1.0 0.0
__constant sampler_t clamped =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
const sampler_t smooth = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

kernel void blur(read_only image2d_t in, write_only image2d_t out)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = (float4)(0.0f);
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dx != 0 || dy != 0)
                sum += read_imagef(in, clamped, at + (int2)(dx, dy));
    if (any(at >= get_image_dim(out)))
        return;
    write_imagef(out, at, sum / 8.0f);
}
kernel void halve(read_only image2d_t in, write_only image2d_t out)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    const float2 size = (float2)(get_image_width(out), get_image_height(out));
    write_imagef(out, at, read_imagef(in, smooth, (convert_float2(at) + 0.5f) / size));
}
kernel void luminance(read_only image2d_t in, global float *grey)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const float4 p = read_imagef(in, (int2)(x, y));
    grey[y * 2 + x] = dot(p.xyz, (float3)(0.25f, 0.5f, 0.25f)) * p.w;
}
// The same image is read and written: OpenCL 2.0 allows it.
kernel void invert(read_write image2d_t pixels)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    const uint4 p = read_imageui(pixels, at);
    write_imageui(pixels, at, 255u - p);
}
