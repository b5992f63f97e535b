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
    int kk = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long q[10] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    double mine_x = 0.0, mine_y = 0.0;
    if (kk < nn) {
        unsigned long long s = seed46(271828183ull, 2ull * nk * kk);
        for (int i = 0; i < nk; i++) {
            s = lcg46(s);
            double x = 2.0 * uniform46(s) - 1.0;
            s = lcg46(s);
            double y = 2.0 * uniform46(s) - 1.0;
            double t = x * x + y * y;
            if (t <= 1.0) {
                double f = sqrt(-2.0 * log(t) / t);
                double gx = x * f, gy = y * f;
                q[(int)fmax(fabs(gx), fabs(gy))]++;
                mine_x += gx;
                mine_y += gy;
            }
        }
        for (int l = 0; l < 10; l++)
            atomicAdd(&nq[l], q[l]);
    }
    ssx[threadIdx.x] = mine_x;
    ssy[threadIdx.x] = mine_y;
    __syncthreads();
    if (threadIdx.x == 0) {
        double sum = 0.0;
        for (int i = 0; i < blockDim.x; i++) sum += ssx[i];
        atomicAdd(sx, sum);
    }
    if (threadIdx.x == 1) {
        double sum = 0.0;
        for (int i = 0; i < blockDim.x; i++) sum += ssy[i];
        atomicAdd(sy, sum);
    }
    //~ // Thread kk < nn: its seed by seed46, nk pairs with a count q[10] of its own, atomicAdd of
    //~ // the counts. All threads: sums to ssx, ssy; barrier; thread 0 adds up ssx and thread 1
    //~ // ssy, atomicAdd of both.
    //~ ssx[threadIdx.x] = ssy[threadIdx.x] = 0.0 * (nn + nk + (nq != 0) + (sx != 0) + (sy != 0));
    // lab>
}
