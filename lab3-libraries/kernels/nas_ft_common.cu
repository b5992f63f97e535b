// What both fast versions of FT need beside their transforms: the initial field, evolve, the
// checksum.

static __device__ unsigned long long power(unsigned long long a, unsigned long long n)
{
    unsigned long long p = 1;
    for (; n; n >>= 1) {
        if (n & 1) p *= a;
        a *= a;
    }
    return p;
}

static __device__ double number(unsigned long long s)
{ return (double)(s & 0x3fffffffffffull) * 0x1p-46; }

// Element g, g + threads, ... of the field: two numbers of the generator each. jump = a^(2
// threads).
extern "C" __global__ void ft_initial_fast(double2 *u, unsigned long long jump, long long n)
{
    const unsigned long long a = 1220703125ull;
    long long threads = (long long)gridDim.x * blockDim.x;
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    unsigned long long s = 314159265ull * power(a, 2 * i + 1);
    for (; i < n; i += threads) {
        u[i] = make_double2(number(s), number(s * a));
        s *= jump;
    }
}

// to[i] = from[i] fx[x] fy[y] fz[z].
extern "C" __global__ void ft_evolve_fast(double2 *to, const double2 *from, const double *fx,
                                          const double *fy, const double *fz, int nx, int ny,
                                          long long n)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = i % nx;
    long long row = i / nx;
    double f = fx[x] * (fy[row % ny] * fz[row / ny]);
    double2 v = from[i];
    to[i] = make_double2(v.x * f, v.y * f);
}

// sum[0], sum[1]: the 1024 elements (j mod nx, 3 j mod ny, 5 j mod nz), over n. One block of 1024.
extern "C" __global__ void ft_checksum_fast(double *sum, const double2 *u, int nx, int ny, int nz)
{
    __shared__ double part[2][32];
    int j = threadIdx.x + 1;
    double2 v = u[j % nx + nx * (3 * j % ny + (long long)ny * (5 * j % nz))];
    for (int step = 16; step > 0; step /= 2) {
        v.x += __shfl_down_sync(0xffffffff, v.x, step);
        v.y += __shfl_down_sync(0xffffffff, v.y, step);
    }
    if (threadIdx.x % 32 == 0) {
        part[0][threadIdx.x / 32] = v.x;
        part[1][threadIdx.x / 32] = v.y;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        v = make_double2(part[0][threadIdx.x], part[1][threadIdx.x]);
        for (int step = 16; step > 0; step /= 2) {
            v.x += __shfl_down_sync(0xffffffff, v.x, step);
            v.y += __shfl_down_sync(0xffffffff, v.y, step);
        }
        double n = (double)nx * ny * nz;
        if (threadIdx.x == 0) {
            sum[0] = v.x / n;
            sum[1] = v.y / n;
        }
    }
}
