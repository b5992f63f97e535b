// Bitonic sort: one exchange per launch, and a whole work-group at once in local memory.
//
//@ buffer x i32 64 ints 19 -1000 1000
//@ buffer y u32 256 ints 23 0 100000
//@ run exchange <<<32, 32>>> (x, 1, 0)
//@ run exchange <<<32, 32>>> (x, 2, 1)
//@ run exchange <<<32, 32>>> (x, 2, 0)
//@ run exchange <<<32, 32>>> (x, 3, 2)
//@ run exchange <<<32, 32>>> (x, 3, 1)
//@ run exchange <<<32, 32>>> (x, 3, 0)
//@ run sort_group <<<256, 128>>> (y, local:512)
//@ check x exact
//@ check y exact

__kernel void exchange(__global int *x, uint stage, uint pass)
{
    uint t = get_global_id(0), d = 1u << pass;
    uint left = (t / d) * 2 * d + t % d, right = left + d;
    bool up = (t >> (stage - 1) & 1) == 0;
    int a = x[left], b = x[right];
    x[left] = up ? min(a, b) : max(a, b);
    x[right] = up ? max(a, b) : min(a, b);
}

__kernel void sort_group(__global uint *y, __local uint *s)
{
    uint t = get_local_id(0), n = get_local_size(0);
    s[t] = y[get_global_id(0)];
    for (uint k = 2; k <= n; k <<= 1)
        for (uint j = k >> 1; j > 0; j >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint other = t ^ j;
            if (other > t && (s[t] > s[other]) == ((t & k) == 0)) {
                uint swap = s[t];
                s[t] = s[other];
                s[other] = swap;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    y[get_global_id(0)] = s[t];
}
