// In the manner of Rodinia's lavaMD: structures by value with macros over their members, lists of
// neighbours inside of boxes, arrays of structures in shared memory.
//@ buffer box i32 8 list 0 0 1 1 1 2 1 0
//@ buffer rv f64 16 list 1 0 0 0 2 1 0 0 3 0 1 0 4 0 0 1
//@ buffer qv f64 4 list 1 2 3 4
//@ buffer fv f64 16 zero
//@ run kernel_gpu_cuda <<<2, 2>>> (2, 0.5, box, rv, qv, fv)
//@ expect fv 40 -2 -3 -4 50 8 -3 -4 60 -2 7 -4 70 -2 -3 6
#include <stdio.h>
#include <stdlib.h>
#include <stdbool.h>
#define NUMBER_PAR_PER_BOX 2
#define NUMBER_THREADS 2
#define DOT(A, B) ((A.x) * (B.x) + (A.y) * (B.y) + (A.z) * (B.z))
#define fp double
typedef struct { fp x, y, z; } THREE_VECTOR;
typedef struct { fp v, x, y, z; } FOUR_VECTOR;
typedef struct nei_str { int number; } nei_str;
typedef struct box_str { int number; int offset; int nn; nei_str nei[1]; } box_str;

// Each particle: its own weight times all, and the sums of differences by weight.
__global__ void kernel_gpu_cuda(int boxes, fp alpha, box_str *d_box, FOUR_VECTOR *d_rv, fp *d_qv,
                                FOUR_VECTOR *d_fv)
{
    int bx = blockIdx.x, tx = threadIdx.x, wtx = tx;
    if (bx < boxes) {
        fp a2 = 2.0 * alpha * alpha * 2.0;
        int first_i, pointer, k = 0, first_j, j = 0;
        FOUR_VECTOR *rA, *rB, *fA;
        fp *qB;
        __shared__ FOUR_VECTOR rA_shared[NUMBER_PAR_PER_BOX];
        __shared__ FOUR_VECTOR rB_shared[NUMBER_PAR_PER_BOX];
        __shared__ fp qB_shared[NUMBER_PAR_PER_BOX];
        THREE_VECTOR d;
        first_i = d_box[bx].offset;
        rA = &d_rv[first_i];
        fA = &d_fv[first_i];
        while (wtx < NUMBER_PAR_PER_BOX) { rA_shared[wtx] = rA[wtx]; wtx = wtx + NUMBER_THREADS; }
        wtx = tx;
        __syncthreads();
        for (k = 0; k < (1 + d_box[bx].nn); k++) {
            if (k == 0) pointer = bx;
            else pointer = d_box[bx].nei[k - 1].number;
            first_j = d_box[pointer].offset;
            rB = &d_rv[first_j];
            qB = &d_qv[first_j];
            while (wtx < NUMBER_PAR_PER_BOX) {
                rB_shared[wtx] = rB[wtx];
                qB_shared[wtx] = qB[wtx];
                wtx = wtx + NUMBER_THREADS;
            }
            wtx = tx;
            __syncthreads();
            while (wtx < NUMBER_PAR_PER_BOX) {
                for (j = 0; j < NUMBER_PAR_PER_BOX; j++) {
                    d.x = (fp)rA_shared[wtx].x - (fp)rB_shared[j].x;
                    d.y = rA_shared[wtx].y - rB_shared[j].y;
                    d.z = rA_shared[wtx].z - rB_shared[j].z;
                    fp dd = DOT(d, d);
                    fA[wtx].v +=
                        (double)((fp)qB_shared[j] * (rA_shared[wtx].v + rB_shared[j].v + 0 * dd));
                    fA[wtx].x += qB_shared[j] * d.x * a2 * 1.0;
                    fA[wtx].y += qB_shared[j] * d.y * a2;
                    fA[wtx].z += qB_shared[j] * d.z * a2;
                }
                wtx = wtx + NUMBER_THREADS;
            }
            wtx = tx;
            __syncthreads();
        }
    }
}
int main(int argc, char *argv[])
{
    box_str *box = (box_str *)malloc(2 * sizeof(box_str));
    printf("%s %lu\n", argv[0], sizeof *box);
    free(box);
    return 0;
}
