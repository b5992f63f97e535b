// Bellman-Ford with atomicMin, CSR in a struct of pointers built in the kernel.
//@ buffer row i32 5 list 0 2 3 4 4
//@ buffer col i32 4 list 1 2 3 3
//@ buffer w i32 4 list 1 5 7 1
//@ buffer dist i32 4 list 0 1000 1000 1000
//@ buffer again i32 1 zero
//@ run relax <<<1, 4>>> (row, col, w, dist, again, 4)
//@ run relax <<<1, 4>>> (row, col, w, dist, again, 4)
//@ run relax <<<1, 4>>> (row, col, w, dist, again, 4)
//@ expect dist 0 1 5 6
struct CSR {
    const int *row, *col, *w;
    __device__ int begin(int v) const { return row[v]; }
    __device__ int end(int v) const { return row[v + 1]; }
};
__global__ void relax(const int *row, const int *col, const int *w, int *dist, int *again, int n)
{
    CSR g{row, col, w};
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int d = atomicAdd(&dist[v], 0);
    if (d >= 1000) return;
    for (int e = g.begin(v); e < g.end(v); ++e)
        if (atomicMin(&dist[g.col[e]], d + g.w[e]) > d + g.w[e]) atomicExch(again, 1);
}
int main()
{
    std::vector<std::vector<std::pair<int, int>>> adj(4);
    for (auto &[v, w] : adj[0]) { (void)v; }
    return 0;
}
