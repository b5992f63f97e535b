// In the manner of PolyBench: sizes and the type by macros, host reference, timers.
//@ buffer A f32 64 iota 0 1
//@ buffer B f32 64 fill 1
//@ buffer C f32 64 fill 1
//@ run gemm_kernel <<<(1,2), (8,4)>>> (8, 8, 8, 2, 3, A, B, C)
//@ expect C 59 59 59 59 59 59 59 59 187 187 187 187 187 187 187 187 315 315 315 315 315 315 315 315 443 443 443 443 443 443 443 443 571 571 571 571 571 571 571 571 699 699 699 699 699 699 699 699 827 827 827 827 827 827 827 827 955 955 955 955 955 955 955 955
#include <unistd.h>
#include <sys/time.h>
#include <assert.h>
#ifndef NI
#define NI 8
#define NJ 8
#define NK 8
#endif
typedef float DATA_TYPE;
#define DIM_THREAD_BLOCK_X 8
#define DIM_THREAD_BLOCK_Y 4
#define PERCENT_DIFF_ERROR_THRESHOLD 0.05

void gemm(int ni, int nj, int nk, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE A[NI][NK],
          DATA_TYPE B[NK][NJ], DATA_TYPE C[NI][NJ])
{
    int i, j, k;
    for (i = 0; i < ni; i++)
        for (j = 0; j < nj; j++) {
            C[i][j] *= beta;
            for (k = 0; k < nk; ++k) C[i][j] += alpha * A[i][k] * B[k][j];
        }
}
__global__ void gemm_kernel(int ni, int nj, int nk, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE *a,
                            DATA_TYPE *b, DATA_TYPE *c)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if ((i < NI) && (j < NJ)) {
        c[i * NJ + j] *= beta;
        int k;
        for (k = 0; k < NK; k++)
            c[i * NJ + j] += alpha * a[i * NK + k] * b[k * NJ + j];
    }
}
static double rtclock()
{
    struct timeval Tp;
    int stat = gettimeofday(&Tp, NULL);
    if (stat != 0) printf("Error");
    return (Tp.tv_sec + Tp.tv_usec * 1.0e-6);
}
int main(int argc, char *argv[])
{
    dim3 block(DIM_THREAD_BLOCK_X, DIM_THREAD_BLOCK_Y);
    gemm_kernel<<<1, block>>>(0, 0, 0, 0, 0, 0, 0, 0);
    return 0;
}
