// EP with counts and sums reduced by warps: one atomic operation for each accumulator and block.
// Exercise 3.3.4.
#include "npb.cuh"

#define FULL 0xffffffffu

// As in ep.cu; the dynamic shared memory may be used or not.
extern "C" __global__ void ep_better(unsigned long long *nq, double *sx, double *sy, int nn, int nk)
{
    // <lab
    __shared__ unsigned int counts[10][32];
    __shared__ double sums[2][32];
    int kk = blockIdx.x * blockDim.x + threadIdx.x;
    // Counted with constant indices, so that q stays in registers.
    unsigned int q[10] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    double mine_x = 0.0, mine_y = 0.0;
    unsigned long long s = seed46(271828183ull, 2ull * nk * kk);
    int pairs = kk < nn ? nk : 0;
    for (int i = 0; i < pairs; i++) {
        s = lcg46(s);
        double x = 2.0 * uniform46(s) - 1.0;
        s = lcg46(s);
        double y = 2.0 * uniform46(s) - 1.0;
        double t = x * x + y * y;
        if (t <= 1.0) {
            double f = sqrt(-2.0 * log(t) / t);
            double gx = x * f, gy = y * f;
            int ring = (int)fmax(fabs(gx), fabs(gy));
#pragma unroll
            for (int l = 0; l < 10; l++) q[l] += l == ring;
            mine_x += gx;
            mine_y += gy;
        }
    }
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int l = 0; l < 10; l++) {
        unsigned int v = q[l];
        for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(FULL, v, step);
        if (lane == 0) counts[l][warp] = v;
    }
    for (int step = 16; step > 0; step /= 2) {
        mine_x += __shfl_down_sync(FULL, mine_x, step);
        mine_y += __shfl_down_sync(FULL, mine_y, step);
    }
    if (lane == 0) {
        sums[0][warp] = mine_x;
        sums[1][warp] = mine_y;
    }
    __syncthreads();
    int warps = blockDim.x / 32;
    if (threadIdx.x < 10) {
        unsigned long long sum = 0;
        for (int w = 0; w < warps; w++) sum += counts[threadIdx.x][w];
        atomicAdd(&nq[threadIdx.x], sum);
    } else if (threadIdx.x < 12) {
        double sum = 0.0;
        for (int w = 0; w < warps; w++) sum += sums[threadIdx.x - 10][w];
        atomicAdd(threadIdx.x == 10 ? sx : sy, sum);
    }
    //~ // Pairs as in ep.cu. Then: each warp adds its lanes with __shfl_down_sync, its first lane
    //~ // stores the sums in shared memory; barrier; 12 threads add up the warps' sums, one
    //~ // accumulator each, one atomicAdd each. Blocks are whole warps.
    //~ if (nn < 0) nq[0] = (unsigned long long)(*sx + *sy) + nk;
    // lab>
}
