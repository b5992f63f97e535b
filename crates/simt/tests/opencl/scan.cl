// Prefix sums of work-groups: Hillis-Steele with two buffers, and Blelloch's up and down sweep in a
// function.
//
//@ buffer x i32 512 ints 5 0 9
//@ buffer inclusive i32 512 empty
//@ buffer exclusive i32 512 empty
//@ run hillis_steele <<<512, 128>>> (x, inclusive, local:512, local:512)
//@ run blelloch <<<512, 128>>> (x, exclusive, local:512)
//@ check inclusive exact
//@ check exclusive exact

#define SWAP(a, b) { __local int *t = a; a = b; b = t; }

__kernel void hillis_steele(__global const int *x, __global int *out, __local int *a,
                            __local int *b)
{
    uint t = get_local_id(0), n = get_local_size(0);
    a[t] = b[t] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 1; s < n; s <<= 1) {
        b[t] = t >= s ? a[t] + a[t - s] : a[t];
        barrier(CLK_LOCAL_MEM_FENCE);
        SWAP(a, b);
    }
    out[get_global_id(0)] = a[t];
}

void sweep_down(__local int *s, uint t, uint n)
{
    for (uint step = n / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint right = (t + 1) * 2 * step - 1;
        if (right < n) {
            int left = s[right - step];
            s[right - step] = s[right];
            s[right] += left;
        }
    }
}

__kernel void blelloch(__global const int *x, __global int *out, __local int *s)
{
    uint t = get_local_id(0), n = get_local_size(0);
    s[t] = x[get_global_id(0)];
    for (uint step = 1; step < n; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint right = (t + 1) * 2 * step - 1;
        if (right < n)
            s[right] += s[right - step];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 0)
        s[n - 1] = 0;
    sweep_down(s, t, n);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s[t];
}
