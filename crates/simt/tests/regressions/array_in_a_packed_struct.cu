// An element by a number of 64 bits: its address lost that the struct is packed.
//@ buffer out f64 4 zero
//@ run k <<<1, 1>>> (out, 1)
//@ expect out 2 10 3 9
struct __attribute__((packed)) S {
    bool before;
    double list[4];
    int *pointer;
};

extern "C" __global__ void k(double *out, int v)
{
    S s = {true, {1.0, 2.0, 3.0, 4.0}, &v};
    __shared__ S t[2];
    out[0] = __syncthreads_count(threadIdx.x + 2 > s.list[v & 3]) + s.list[v & 3];
    s.list[v & 3] = 7.0;
    out[1] = s.list[(v + 1) & 3] + s.list[v & 3];
    t[v] = s;
    out[2] = t[v].list[(v + 1) & 3] * *t[v].pointer;
    long long wide = v;
    t[v].list[wide + 2] += s.list[wide & 3] - 2.0;
    out[3] = t[v].list[3];
}
