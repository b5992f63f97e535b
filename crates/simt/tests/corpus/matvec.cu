// Matrix times vector: a thread per row, a warp per row, and with column-major storage; outer
// product and Jacobi step.
//
//@ buffer a f32 2048 ints 111 -5 5
//@ buffer x f32 64 ints 112 -5 5
//@ buffer by_thread f32 32 empty
//@ buffer by_warp f32 32 empty
//@ buffer by_column f32 64 empty
//@ buffer outer f32 2048 empty
//@ buffer d f64 1024 rand 113 0 1
//@ buffer rhs f64 32 rand 114 -1 1
//@ buffer guess f64 32 zero
//@ buffer next f64 32 empty
//@ run matvec_threads <<<1, 32>>> (a, x, by_thread, 32, 64)
//@ count gld_sec 2112 : a: lanes are a row apart, 32 sectors for each of 64 columns; x: one word, 64 sectors
//@ run matvec_warps <<<8, 128>>> (a, x, by_warp, 32, 64)
//@ count gld_sec 512 : a warp reads its row of 64 words in 8 sectors, and x the same; 32 warps
//@ count shfl 160 : 32 warps, 5 steps
//@ run matvec_columns <<<1, 64>>> (a, by_thread, by_column, 64, 32)
//@ run outer_product <<<(2, 8), (32, 4)>>> (by_warp, x, outer, 32, 64)
//@ run jacobi <<<1, 32>>> (d, rhs, guess, next, 32)
//@ run jacobi <<<1, 32>>> (d, rhs, next, guess, 32)
//@ check by_thread exact
//@ check by_warp exact
//@ check by_column exact
//@ check outer exact
//@ check guess exact

extern "C" __global__ void matvec_threads(const float *a, const float *x, float *y, int rows,
                                          int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int c = 0; c < cols; ++c)
            sum += a[row * cols + c] * x[c];
        y[row] = sum;
    }
}

extern "C" __global__ void matvec_warps(const float *a, const float *x, float *y, int rows,
                                        int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32)
        sum += a[row * cols + c] * x[c];
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[row] = sum;
}

// The matrix lies column by column: rows are neighbours in memory.
extern "C" __global__ void matvec_columns(const float *a, const float *x, float *y, int rows,
                                          int cols)
{
    int row = threadIdx.x;
    float sum = 0.0f;
    for (int c = 0; c < cols; ++c)
        sum += a[c * rows + row] * x[c];
    y[row] = sum;
}

extern "C" __global__ void outer_product(const float *u, const float *v, float *m, int rows,
                                         int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        m[r * cols + c] = u[r] * v[c];
}

extern "C" __global__ void jacobi(const double *a, const double *b, const double *x, double *next,
                                  int n)
{
    int i = threadIdx.x;
    double sum = 0.0;
    for (int j = 0; j < n; ++j)
        if (j != i)
            sum += a[i * n + j] * x[j];
    next[i] = (b[i] - sum) / (a[i * n + i] + n);
}
