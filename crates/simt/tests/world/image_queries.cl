// What a kernel may ask about its images, colours by their letters, zeros at the end of a number.
//
//@ buffer floats f32 16 iota 0 1
//@ buffer bytes u8 8 iota 0 1
//@ buffer out u32 16 zero
//@ buffer letters f32 8 zero
//@ texture image floats 2 2 1 4
//@ texture layers bytes 2 1 2 2
//@ run queries <<<1, 1>>> (image, layers, out, letters)
//@ expect out 1 1 2 1 1 2 2 2 3 32 8 16 64 5 0 0
//@ expect letters 6 5 4 7 4 5 6 7
__kernel void queries(__read_only image2d_t image, __read_only image2d_array_t layers,
                      __global uint *out, __global float4 *letters)
{
    out[0] = get_image_channel_data_type(image) == CLK_FLOAT;
    out[1] = get_image_channel_order(image) == CLK_RGBA;
    out[2] = get_image_array_size(layers);
    out[3] = get_image_channel_data_type(layers) == CLK_UNORM_INT8;
    out[4] = get_image_channel_order(layers) == CLK_RG;
    out[5] = get_image_width(layers);
    vstore2(convert_uint2(get_image_dim(image)), 3, out);
    out[8] = ctz((uint)40);
    out[9] = ctz(0);
    out[10] = ctz((uchar)0);
    out[11] = ctz((short)0);
    out[12] = ctz(0ul);
    out[13] = ctz((ulong4)(1, 2, 32, 0)).z;
    const float4 pixel = read_imagef(image, (int2)(1, 0));
    letters[0] = pixel.bgra;
    letters[1].rg = pixel.xy;
    letters[1].ba = pixel.zw;
}
