// Inclusive scan of a group with two buffers.
//@ buffer x i32 16 fill 1
//@ run scan <<<16, 8>>> (x, local:32, local:32)
//@ expect x 1 2 3 4 5 6 7 8 1 2 3 4 5 6 7 8
__kernel void scan(__global int *x, __local int *a, __local int *b)
{
    const uint l = get_local_id(0), n = get_local_size(0);
    a[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 1; s < n; s <<= 1) {
        b[l] = l >= s ? a[l] + a[l - s] : a[l];
        barrier(CLK_LOCAL_MEM_FENCE);
        __local int *t = a; a = b; b = t;
    }
    x[get_global_id(0)] = a[l];
}
