// Nodes are marked in an array of `bool`, with the distance beside it, by helper functions.
// Twin: each thread leaves its own number as the way back: another one for each order.
//
//@ buffer distance i32 64 zero
//@ buffer visited u8 64 zero
//@ buffer before i32 64 zero
//@ buffer out i32 1 zero
//@ run graph_visited <<<2, 32>>> (visited, distance, before, 7)
//@ run graph_visited_sum <<<1, 1>>> (distance, out)
//@ expect out 72
//@ fault RACE-G

__device__ bool unseen(const bool *visited, int v) { return !visited[v]; }

__device__ void mark(bool *visited, int *distance, int *before, int u, int v, int now)
{
    visited[v] = true; // <- fault
    distance[v] = now + 1;
#ifdef FAULTY
    before[v] = u; // <- fault
#endif
}

extern "C" __global__ void graph_visited(bool *visited, int *distance, int *before, int now)
{
    int u = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 3; ++k) {
        int v = (u / 8 + k) % 12;
        if (v > 0 && unseen(visited, v)) // <- fault
            mark(visited, distance, before, u, v, now);
    }
}

extern "C" __global__ void graph_visited_sum(const int *distance, int *out)
{
    for (int v = 0; v < 64; ++v)
        *out += distance[v];
}
