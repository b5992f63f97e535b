// The passes of a three-dimensional transform of u[z][y][x], three kernels for each axis: copy to
// y0 in the layout of the axis, transform all lines there, copy back. Exercise 3.4.4.
//
//   axis   layout of y0              thread of the transform
//   x      [z][x][y]                 (y, z), y fastest
//   y      [z][y][x], as u           (x, z), x fastest
//   z      [z][y][x], as u           (x, y), x fastest
//
// Copies have a thread for each element of u, in the order of u; transforms one for each line.
// Threads beyond have nothing to do.

// One line of n elements in y0, at base + e stride; y1 is the other array of Stockham's method, u
// its roots (exercises 3.4.1, 3.4.3).
static __device__ void line(double2 *y0, double2 *y1, const double2 *u, int n, int base, int stride,
                            int sign)
{
    // <lab
    if (n < 0) y0[base] = y1[stride + sign + (int)u[0].x];
    // lab>
}

extern "C" __global__ void ft_in1(const double2 *u, double2 *y0, int nx, int ny, int nz)
{
    // <lab
    if (nx < 0) y0[ny] = u[nz];
    // lab>
}

extern "C" __global__ void ft_fft1(double2 *y0, double2 *y1, const double2 *roots, int nx, int ny,
                                   int nz, int sign)
{
    // <lab
    if (nx < 0) line(y0, y1, roots, nx, ny, nz, sign);
    // lab>
}

extern "C" __global__ void ft_out1(const double2 *y0, double2 *u, int nx, int ny, int nz)
{
    // <lab
    if (nx < 0) u[ny] = y0[nz];
    // lab>
}

extern "C" __global__ void ft_in2(const double2 *u, double2 *y0, int nx, int ny, int nz)
{
    // <lab
    if (nx < 0) y0[ny] = u[nz];
    // lab>
}

extern "C" __global__ void ft_fft2(double2 *y0, double2 *y1, const double2 *roots, int nx, int ny,
                                   int nz, int sign)
{
    // <lab
    if (nx < 0) line(y0, y1, roots, nx, ny, nz, sign);
    // lab>
}

extern "C" __global__ void ft_out2(const double2 *y0, double2 *u, int nx, int ny, int nz)
{
    // <lab
    if (nx < 0) u[ny] = y0[nz];
    // lab>
}

extern "C" __global__ void ft_in3(const double2 *u, double2 *y0, int nx, int ny, int nz)
{
    // <lab
    if (nx < 0) y0[ny] = u[nz];
    // lab>
}

extern "C" __global__ void ft_fft3(double2 *y0, double2 *y1, const double2 *roots, int nx, int ny,
                                   int nz, int sign)
{
    // <lab
    if (nx < 0) line(y0, y1, roots, nx, ny, nz, sign);
    // lab>
}

extern "C" __global__ void ft_out3(const double2 *y0, double2 *u, int nx, int ny, int nz)
{
    // <lab
    if (nx < 0) u[ny] = y0[nz];
    // lab>
}

// Given, for comparison (exercise 3.4.7): lines along x where they are, in u[z][y][x].
extern "C" __global__ void ft_direct1(double2 *u, double2 *y1, const double2 *roots, int nx, int ny,
                                      int nz, int sign)
{
    int l = blockIdx.x * blockDim.x + threadIdx.x;
    if (l < ny * nz) line(u, y1, roots, nx, l * nx, 1, sign);
}
