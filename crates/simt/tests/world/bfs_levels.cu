// In the manner of benchmark suites: structs of arrays of nodes, masks by bytes, a flag for "go
// on".
//@ buffer starts i32 6 list 0 2 3 5 5 6
//@ buffer degrees i32 6 list 2 1 2 0 1 0
//@ buffer edges i32 6 list 1 2 3 3 4 5
//@ buffer frontier u8 6 list 1 0 0 0 0 0
//@ buffer updating u8 6 zero
//@ buffer visited u8 6 list 1 0 0 0 0 0
//@ buffer cost i32 6 list 0 -1 -1 -1 -1 -1
//@ buffer over u8 1 zero
//@ run Kernel <<<1, 8>>> (starts, degrees, edges, frontier, updating, visited, cost, 6)
//@ run Kernel2 <<<1, 8>>> (frontier, updating, visited, over, 6)
//@ run Kernel <<<1, 8>>> (starts, degrees, edges, frontier, updating, visited, cost, 6)
//@ run Kernel2 <<<1, 8>>> (frontier, updating, visited, over, 6)
//@ run Kernel <<<1, 8>>> (starts, degrees, edges, frontier, updating, visited, cost, 6)
//@ expect cost 0 1 1 2 2 3
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <math.h>
#include <cuda.h>
#define MAX_THREADS_PER_BLOCK 512
int no_of_nodes;
FILE *fp;
struct Node { int starting; int no_of_edges; };

__global__ void Kernel(int *start, int *degree, int *g_graph_edges, bool *g_graph_mask,
                       bool *g_updating_graph_mask, bool *g_graph_visited, int *g_cost,
                       int no_of_nodes)
{
    int tid = blockIdx.x * MAX_THREADS_PER_BLOCK + threadIdx.x;
    if (tid < no_of_nodes && g_graph_mask[tid]) {
        g_graph_mask[tid] = false;
        for (int i = start[tid]; i < (degree[tid] + start[tid]); i++) {
            int id = g_graph_edges[i];
            if (!g_graph_visited[id]) {
                g_cost[id] = g_cost[tid] + 1;
                g_updating_graph_mask[id] = true;
            }
        }
    }
}
__global__ void Kernel2(bool *g_graph_mask, bool *g_updating_graph_mask, bool *g_graph_visited,
                        bool *g_over, int no_of_nodes)
{
    int tid = blockIdx.x * MAX_THREADS_PER_BLOCK + threadIdx.x;
    if (tid < no_of_nodes && g_updating_graph_mask[tid]) {
        g_graph_mask[tid] = true;
        g_graph_visited[tid] = true;
        *g_over = true;
        g_updating_graph_mask[tid] = false;
    }
}
void BFSGraph(int argc, char **argv);
int main(int argc, char **argv) { no_of_nodes = 0; BFSGraph(argc, argv); }
void Usage(int argc, char **argv) { fprintf(stderr, "Usage: %s <input_file>\n", argv[0]); }
void BFSGraph(int argc, char **argv)
{
    char *input_f;
    if (argc != 2) { Usage(argc, argv); exit(0); }
    input_f = argv[1];
    fp = fopen(input_f, "r");
    Node *h_graph_nodes = (Node *)malloc(sizeof(Node) * no_of_nodes);
    bool stop; int k = 0;
    do {
        stop = false;
        Kernel<<<1, MAX_THREADS_PER_BLOCK, 0>>>(0, 0, 0, 0, 0, 0, 0, 0);
        k++;
    } while (stop);
}
