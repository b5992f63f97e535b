// Vector types and swizzles.
//@ buffer v f32 8 iota 0 1
//@ run swap <<<2, 1>>> (v)
//@ expect v 3 2 1 0 7 6 5 4
__kernel void swap(__global float4 *v)
{
    const size_t i = get_global_id(0);
    float4 t = v[i];
    v[i] = t.wzyx;
}
