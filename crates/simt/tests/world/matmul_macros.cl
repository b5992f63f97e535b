// Sizes by macros from the build options.
//@ options -DTS=2 -DWIDTH=4
//@ buffer A f32 16 iota 0 1
//@ buffer B f32 16 list 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1
//@ buffer C f32 16 zero
//@ run myGEMM <<<(4,4), (2,2)>>> (4, A, B, C)
//@ expect C 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
__kernel void myGEMM(const int K, const __global float *A, const __global float *B,
                     __global float *C)
{
    const int row = get_local_id(1), col = get_local_id(0);
    const int globalRow = TS * get_group_id(1) + row, globalCol = TS * get_group_id(0) + col;
    __local float Asub[TS][TS];
    __local float Bsub[TS][TS];
    float acc = 0.0f;
    for (int t = 0; t < K / TS; t++) {
        Asub[row][col] = A[globalRow * WIDTH + TS * t + col];
        Bsub[row][col] = B[(TS * t + row) * WIDTH + globalCol];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TS; k++) acc += Asub[row][k] * Bsub[k][col];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[globalRow * WIDTH + globalCol] = acc;
}
