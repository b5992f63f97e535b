// Clamped neighbours, two-dimensional ids, offsets.
//@ buffer in f32 9 iota 1 1
//@ buffer out f32 9 zero
//@ run cross3 <<<(3,3), (3,3)>>> (in, out, 3)
//@ expect out 9 13 17 21 25 29 33 37 41
int edge(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }
__kernel void cross3(__global const float *in, __global float *out, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * n + x] = in[y * n + x] + in[y * n + edge(x - 1, n)] + in[y * n + edge(x + 1, n)] +
                     in[edge(y - 1, n) * n + x] + in[edge(y + 1, n) * n + x];
}
