// The nodes of the next level of a graph, marked by all threads that find them: in whatever order
// they read and store, each node gets its level, and the flag is set.
// Twin: the threads count the nodes that they mark, and two may count the same one.
//
//@ buffer level i32 200 empty
//@ buffer changed i32 3 zero
//@ buffer counted i32 1 zero
//@ run graph_levels_start <<<1, 1>>> (level)
//@ run graph_levels <<<4, 64>>> (level, 0, 200, changed, counted)
//@ run graph_levels <<<4, 64>>> (level, 1, 200, changed, counted)
//@ run graph_levels_sum <<<1, 1>>> (level, changed)
//@ expect changed 1 34 16
//@ fault RACE-G

extern "C" __global__ void graph_levels_start(int *level)
{
    for (int v = 0; v < 200; ++v)
        level[v] = v % 50 ? -1 : 0;
}

// From node u edges lead to u / 2 + 10 k.
extern "C" __global__ void graph_levels(int *level, int now, int n, int *changed, int *counted)
{
    int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u < n && level[u] == now) {
        for (int k = 1; k <= 4; ++k) {
            int v = u / 2 + 10 * k;
            if (level[v] == -1) { // <- fault
                level[v] = now + 1; // <- fault
                *changed = 1;
#ifdef FAULTY
                atomicAdd(counted, 1);
#endif
            }
        }
    }
}

extern "C" __global__ void graph_levels_sum(const int *level, int *changed)
{
    for (int v = 0; v < 200; ++v) {
        changed[1] += level[v] > 0;
        changed[2] += level[v] == 1;
    }
}
