// c = a + b: one element per work-item, four per work-item, and only the upper half of the range.
//
//@ buffer a f32 1000 rand 1 -1 1
//@ buffer b f32 1000 rand 2 -1 1
//@ buffer plain f32 1000 empty
//@ buffer wide f32 1000 empty
//@ buffer upper f32 1000 zero
//@ run add <<<1024, 128>>> (a, b, plain, 1000)
//@ count gld_req 64 : 31 full warps and one of 8 lanes, two loads each
//@ count gst_req 32 : one store each
//@ run add4 <<<250, 25>>> (a, b, wide)
//@ run add <<<500, 100, 500>>> (a, b, upper, 1000)
//@ check plain exact
//@ check wide exact
//@ check upper exact

__kernel void add(__global const float *a, __global const float *b, __global float *c, int n)
{
    int i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}

kernel void add4(global const float4 *restrict a, global const float4 *restrict b,
                 global float4 *restrict c)
{
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}
