// Cells of a table need their upper and left neighbours: one diagonal after the other.
// Twin: no barrier between the diagonals.
//
//@ buffer out i32 8 zero
//@ run wavefront <<<1, 8>>> (out)
//@ expect out 9 45 165 495 1287 3003 6435 12870
//@ fault RACE-S

extern "C" __global__ void wavefront(int *out)
{
    __shared__ int cell[9][9];
    const int t = threadIdx.x;
    cell[0][t] = 1;
    cell[t + 1][0] = 1;
    if (t == 0)
        cell[0][8] = 1;
    __syncthreads();
    for (int diagonal = 0; diagonal < 15; ++diagonal) {
        const int i = t + 1, j = diagonal - t + 1;
        if (j >= 1 && j <= 8)
            cell[i][j] = cell[i - 1][j] + cell[i][j - 1]; // <- fault
#ifndef FAULTY
        __syncthreads();
#endif
    }
    out[t] = cell[8][t + 1];
}
