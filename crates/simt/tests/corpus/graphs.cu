// Graphs: all shortest paths by Floyd-Warshall, a level-by-level search with a frontier queue,
// components by label spreading. The search's graph has four edges per node.
//
//@ buffer dist i32 1024 ints 141 1 100
//@ buffer edges i32 512 ints 142 0 127
//@ buffer level i32 128 fill -1
//@ buffer frontier_a i32 128 empty
//@ buffer frontier_b i32 128 empty
//@ buffer sizes i32 2 zero
//@ buffer labels i32 128 iota 0 1
//@ buffer changed i32 1 zero
//@ run floyd_step <<<(2, 2), (16, 16)>>> (dist, 32, k) for k in 0..32
//@ count gld_lane 96288 : 32 steps: two loads for each of 1024 pairs, a third for all but the 63 in row or column k
//@ run bfs_start <<<1, 1>>> (level, frontier_a, sizes, 5)
//@ run bfs_level <<<1, 128>>> (edges, level, frontier_a, sizes, frontier_b, sizes+1, 1)
//@ run bfs_level <<<1, 128>>> (edges, level, frontier_b, sizes+1, frontier_a, sizes, 2)
//@ run bfs_level <<<1, 128>>> (edges, level, frontier_a, sizes, frontier_b, sizes+1, 3)
//@ run spread_labels <<<1, 128>>> (edges, labels, changed, 128) for round in 0..10
//@ check dist exact
//@ check level exact
//@ check labels exact

extern "C" __global__ void floyd_step(int *dist, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    int through = dist[i * n + k] + dist[k * n + j];
    if (i == k || j == k)
        return;
    if (through < dist[i * n + j])
        dist[i * n + j] = through;
}

extern "C" __global__ void bfs_start(int *level, int *frontier, int *size, int root)
{
    level[root] = 0;
    frontier[0] = root;
    *size = 1;
}

// A node enters the next frontier once: whoever changes its level from -1 puts it there.
extern "C" __global__ void bfs_level(const int *edges, int *level, const int *frontier, int *size,
                                     int *next, int *next_size, int depth)
{
    if (threadIdx.x == 0)
        *next_size = 0;
    __syncthreads();
    int n = *size;
    for (int f = threadIdx.x; f < n; f += blockDim.x) {
        int node = frontier[f];
        for (int e = 4 * node; e < 4 * node + 4; ++e) {
            int to = edges[e];
            if (atomicCAS(&level[to], -1, depth) == -1)
                next[atomicAdd(next_size, 1)] = to;
        }
    }
}

// Ten rounds are more than the diameter; labels only fall, so the order of the atomics does not
// matter.
extern "C" __global__ void spread_labels(const int *edges, int *labels, int *changed, int n)
{
    __shared__ int before[128];
    int i = threadIdx.x;
    before[i] = labels[i];
    __syncthreads();
    for (int e = 0; e < 4; ++e) {
        int to = edges[4 * i + e];
        int smallest = min(before[i], before[to]);
        if (atomicMin(&labels[to], smallest) > smallest)
            atomicAdd(changed, 1);
        atomicMin(&labels[i], smallest);
    }
}
