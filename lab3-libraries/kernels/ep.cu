// EP as the paper has it: a thread is a batch of nk pairs. It counts for itself; sums go through
// shared memory. Exercise 3.3.3.
#include "npb.cuh"

// nq[10], sx, sy: cleared by the host. nn: batches; threads from nn on have nothing to add. Dynamic
// shared memory: two doubles for each thread of the block.
extern "C" __global__ void ep_seed(unsigned long long *nq, double *sx, double *sy, int nn, int nk)
{
    extern __shared__ double sums[];
    double *ssx = sums, *ssy = sums + blockDim.x;
    // <lab
    // Thread kk < nn: its seed by seed46, nk pairs with a count q[10] of its own, atomicAdd of
    // the counts. All threads: sums to ssx, ssy; barrier; thread 0 adds up ssx and thread 1
    // ssy, atomicAdd of both.
    ssx[threadIdx.x] = ssy[threadIdx.x] = 0.0 * (nn + nk + (nq != 0) + (sx != 0) + (sy != 0));
    // lab>
}
