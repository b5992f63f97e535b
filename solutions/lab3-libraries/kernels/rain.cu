// Exercise 3.2.4: the matrix of the rain problem, and its transpose times a vector. A has m rows,
// by columns: A(row, column) = a[column * m + row]. A block of 128 threads makes a column, so that
// neighbouring threads are neighbours in memory. m * n does not fit in an int.

// A(row, i) = exp(-(d - i) / tau) with d = days[row], and 0 for i > d. One block for each column i.
extern "C" __global__ void gen_a(float *a, const int *days, int m, float tau)
{
    // <lab
    int i = blockIdx.x;
    float *column = a + (size_t)i * m;
    for (int row = threadIdx.x; row < m; row += blockDim.x) {
        int d = days[row];
        column[row] = i <= d ? expf(-(float)(d - i) / tau) : 0.0f;
    }
    // lab>
}

// s[i] = sum over the rows of A(row, i) * r[row]. One block for each column i.
extern "C" __global__ void sgemv_t(const float *a, const float *r, float *s, int m)
{
    __shared__ float partial[4]; // one for each warp
    // <lab
    const float *column = a + (size_t)blockIdx.x * m;
    float sum = 0;
    for (int row = threadIdx.x; row < m; row += blockDim.x)
        sum += column[row] * r[row];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        s[blockIdx.x] = partial[0] + partial[1] + partial[2] + partial[3];
    //~ partial[0] = 0;
    // lab>
}
