// Exercise 3.2.4: the matrix of the rain problem, and its transpose times a vector. A has m rows,
// by columns: A(row, column) = a[column * m + row]. A block of 128 threads makes a column, so that
// neighbouring threads are neighbours in memory. m * n does not fit in an int.

// A(row, i) = exp(-(d - i) / tau) with d = days[row], and 0 for i > d. One block for each column i.
extern "C" __global__ void gen_a(float *a, const int *days, int m, float tau)
{
    // <lab
    // lab>
}

// s[i] = sum over the rows of A(row, i) * r[row]. One block for each column i.
extern "C" __global__ void sgemv_t(const float *a, const float *r, float *s, int m)
{
    __shared__ float partial[4]; // one for each warp
    // <lab
    partial[0] = 0;
    // lab>
}
