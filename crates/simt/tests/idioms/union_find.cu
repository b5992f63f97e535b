// Sets are joined by hooking the larger root to the smaller one; roots are looked for by atomic
// reads, for others hook at the same time.
// Twin: roots are looked for by plain reads.
//
//@ buffer parent i32 8 iota 0 1
//@ run union_find <<<1, 7>>> (parent)
//@ expect parent 0 0 1 2 3 4 5 6
//@ fault RACE-G

__device__ int parent_of(int *parent, int v)
{
#ifdef FAULTY
    return parent[v]; // <- fault
#else
    return atomicAdd(&parent[v], 0);
#endif
}
__device__ int root(int *parent, int v)
{
    for (int up; (up = parent_of(parent, v)) != v; v = up) {
    }
    return v;
}

extern "C" __global__ void union_find(int *parent)
{
    const int a = threadIdx.x, b = a + 1;
    while (true) {
        const int x = root(parent, a), y = root(parent, b);
        if (x == y)
            return;
        const int high = max(x, y), low = min(x, y);
        if (atomicCAS(&parent[high], high, low) == high) // <- fault
            return;
    }
}
