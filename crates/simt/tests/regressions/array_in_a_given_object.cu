// The array in an object that a function gives could not be indexed ("this constant array exists on
// the host only").
//
//@ buffer out i32 8 empty
//@ buffer sums f64 4 empty
//@ run kernel <<<1, 4>>> (out, sums)
//@ expect out 10 30 11 32 12 34 13 36
//@ expect sums 12 14 16 18

struct Item {
    int list[4];
    double weight[2];
};

struct Box {
    int before;
    Item item;
};

__device__ Item make(int n)
{
    Item item = {{n, 10 + n, 20 + n, 30 + 2 * n}, {0.5, 2.0 * n}};
    return item;
}

__device__ Box wrap(int n)
{
    Box box = {n, make(n)};
    if (n > 2)
        return box;
    box.before = -1;
    return box;
}

extern "C" __global__ void kernel(int *out, double *sums)
{
    int t = threadIdx.x;
    out[2 * t] = make(t).list[1];
    out[2 * t + 1] = wrap(t).item.list[min(t + 3, 3)];
    sums[t] = wrap(t + 2).item.weight[(t & 1) | 1] + make(6).list[t & 0] + 2;
}
