// Sparse matrix times vector: CSR with a thread per row, CSR with a warp per row, ELL, COO with
// atomics. Row r of the CSR matrix has r + 1 entries (equal columns may repeat and then add up).
//
//@ buffer row_start i32 65 triangle
//@ buffer cols i32 2080 ints 121 0 63
//@ buffer vals f32 2080 ints 122 -9 9
//@ buffer x f32 64 ints 123 -9 9
//@ buffer scalar f32 64 empty
//@ buffer vector f32 64 empty
//@ buffer ell_cols i32 320 ints 124 -1 63
//@ buffer ell_vals f32 320 ints 125 -9 9
//@ buffer ell f32 64 empty
//@ buffer coo_rows i32 500 ints 126 0 63
//@ buffer coo f32 64 zero
//@ run spmv_csr_scalar <<<1, 64>>> (64, row_start, cols, vals, x, scalar)
//@ count gld_lane 6368 : 2 row bounds for each of 64 rows, 3 loads for each of 2080 entries
//@ run spmv_csr_vector <<<16, 128>>> (64, row_start, cols, vals, x, vector)
//@ run spmv_ell <<<2, 32>>> (64, 5, ell_cols, ell_vals, x, ell)
//@ run spmv_coo <<<4, 128>>> (500, coo_rows, cols, vals, x, coo)
//@ count atom_lane 500 : one per entry
//@ check scalar exact
//@ check vector exact
//@ check ell exact
//@ check coo exact

extern "C" __global__ void spmv_csr_scalar(int rows, const int *start, const int *cols,
                                           const float *vals, const float *x, float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float dot = 0;
        int begin = start[row], end = start[row + 1];
        for (int j = begin; j < end; j++)
            dot += vals[j] * x[cols[j]];
        y[row] = dot;
    }
}

extern "C" __global__ void spmv_csr_vector(int rows, const int *start, const int *cols,
                                           const float *vals, const float *x, float *y)
{
    __shared__ volatile float sums[128];
    int lane = threadIdx.x & 31;
    int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (row >= rows)
        return;
    float v = 0;
    for (int j = start[row] + lane; j < start[row + 1]; j += 32)
        v += vals[j] * x[cols[j]];
    sums[threadIdx.x] = v;
    __syncwarp();
    if (lane < 16) sums[threadIdx.x] = v = v + sums[threadIdx.x + 16];
    __syncwarp();
    if (lane < 8) sums[threadIdx.x] = v = v + sums[threadIdx.x + 8];
    __syncwarp();
    if (lane < 4) sums[threadIdx.x] = v = v + sums[threadIdx.x + 4];
    __syncwarp();
    if (lane < 2) sums[threadIdx.x] = v = v + sums[threadIdx.x + 2];
    __syncwarp();
    if (lane == 0) y[row] = v + sums[threadIdx.x + 1];
}

// Entries of all rows side by side, column by column; an empty place has the column -1.
extern "C" __global__ void spmv_ell(int rows, int width, const int *cols, const float *vals,
                                    const float *x, float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float dot = 0;
    for (int k = 0; k < width; ++k) {
        int col = cols[k * rows + row];
        if (col < 0)
            continue;
        dot += vals[k * rows + row] * x[col];
    }
    y[row] = dot;
}

extern "C" __global__ void spmv_coo(int entries, const int *rows, const int *cols,
                                    const float *vals, const float *x, float *y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < entries; i += blockDim.x * gridDim.x)
        atomicAdd(y + rows[i], vals[i] * x[cols[i]]);
}
