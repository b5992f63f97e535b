// y = a x + y in single and double precision, and with strides as BLAS has them.
//
//@ buffer x f32 512 rand 3 -2 2
//@ buffer y f32 512 rand 4 -2 2
//@ buffer dx f64 512 rand 5 -2 2
//@ buffer dy f64 512 rand 6 -2 2
//@ buffer sx f32 300 rand 7 -2 2
//@ buffer sy f32 200 rand 8 -2 2
//@ run saxpy <<<2, 256>>> (512, 2.5, x, y)
//@ count flop 1024 : a multiplication and an addition per element
//@ count gld_sec 128 : 16 warps, x and y, 4 sectors
//@ run daxpy <<<2, 256>>> (512, -0.75, dx, dy)
//@ count gld_sec 256 : 8 bytes per lane: 8 sectors per request
//@ count gst_sec 128 : 16 warps, 8 sectors
//@ run saxpy_strided <<<1, 128>>> (100, 3, sx, 3, sy, 2)
//@ check y exact
//@ check dy exact
//@ check sy exact

extern "C" __global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

extern "C" __global__ void daxpy(int n, double a, const double *__restrict__ x,
                                 double *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}

extern "C" __global__ void saxpy_strided(int n, float a, const float *x, int incx, float *y,
                                         int incy)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    y[i * incy] = a * x[i * incx] + y[i * incy];
}
