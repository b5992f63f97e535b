// Hash table with chains of nodes from the device's heap; buckets are locked by exchange.
//@ buffer count i32 4 zero
//@ run insert <<<1, 8>>> (8)
//@ run lengths <<<1, 4>>> (count)
//@ expect count 2 2 2 2
#include <stdio.h>
#include <stdlib.h>
struct entry { unsigned key; struct entry *next; };
__device__ struct entry *table[4];
__global__ void insert(int n)
{
    unsigned key = threadIdx.x;
    if (key >= n) return;
    struct entry *e = (struct entry *)malloc(sizeof(struct entry));
    e->key = key;
    __threadfence();
    unsigned long long *head = (unsigned long long *)&table[key % 4], old = 0, seen;
    e->next = NULL;
    while ((seen = atomicCAS(head, old, (unsigned long long)e)) != old) {
        old = seen;
        e->next = (struct entry *)old;
    }
}
__global__ void lengths(int *count)
{
    int n = 0;
    for (struct entry *e = table[threadIdx.x]; e; e = e->next) ++n;
    count[threadIdx.x] = n;
}
int main(void)
{
    int *c;
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8 << 20);
    cudaMalloc((void **)&c, 16);
    insert<<<1, 8>>>(8);
    lengths<<<1, 4>>>(c);
    return 0;
}
