// Escape times of the Mandelbrot set, and a colour for each.
//
//@ buffer steps i32 1024 empty
//@ buffer colours u8 4096 empty
//@ run mandelbrot <<<(32,32), (8,8)>>> (steps, -2.0, -1.25, 0.078125, 50)
//@ run colour <<<1024, 64>>> (steps, colours, 50)
//@ check steps exact
//@ check colours exact

__kernel void mandelbrot(__global int *steps, float left, float bottom, float pixel, int most)
{
    const float2 c = (float2)(left + pixel * get_global_id(0), bottom + pixel * get_global_id(1));
    float2 z = 0.0f;
    int n = 0;
    while (n < most && z.x * z.x + z.y * z.y <= 4.0f) {
        z = (float2)(z.x * z.x - z.y * z.y, 2.0f * z.x * z.y) + c;
        ++n;
    }
    steps[get_global_id(1) * get_global_size(0) + get_global_id(0)] = n;
}

__kernel void colour(__global const int *steps, __global uchar4 *colours, int most)
{
    size_t i = get_global_id(0);
    float4 c = (float4)(1.0f, 2.0f, 4.0f, 0.0f) * steps[i] * 5.0f;
    c.w = 255.0f;
    colours[i] = steps[i] == most ? (uchar4)(0, 0, 0, 255) : convert_uchar4_sat_rte(c);
}
