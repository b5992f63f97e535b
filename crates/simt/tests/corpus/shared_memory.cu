// Shared memory: reversal with static and dynamic arrays, several arrays in one dynamic block, 2-D
// and 3-D arrays, structs, a double buffer, a scalar broadcast, and a queue.
//
//@ buffer x i32 64 ints 301 -99 99
//@ buffer y i32 64 empty
//@ buffer z i32 64 empty
//@ buffer several f32 64 empty
//@ buffer cube i32 60 empty
//@ buffer smooth f32 64 empty
//@ buffer queue i32 65 fill -1
//@ run reverse_static <<<1, 64>>> (x, y)
//@ run reverse_dynamic <<<1, 64, 256>>> (x, z, 64)
//@ run several_arrays <<<1, 64, 1152>>> (x, several, 64)
//@ run cube_sums <<<1, (5, 4, 3)>>> (cube)
//@ run smooth_twice <<<1, 64>>> (x, smooth)
//@ run enqueue <<<1, 64>>> (x, queue)
//@ check y exact
//@ check z exact
//@ check several exact
//@ check cube exact
//@ check smooth exact
//@ check queue exact

extern "C" __global__ void reverse_static(const int *x, int *y)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    y[t] = s[63 - t];
}

extern __shared__ char window[];

extern "C" __global__ void reverse_dynamic(const int *x, int *y, int n)
{
    int *s = (int *)window;
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    y[t] = s[n - 1 - t];
}

// doubles first, then floats, then bytes: each begins where the last one ended.
extern "C" __global__ void several_arrays(const int *x, float *y, int n)
{
    double *d = reinterpret_cast<double *>(window);
    float *f = (float *)&d[n];
    unsigned char *b = (unsigned char *)(f + n);
    int t = threadIdx.x;
    d[t] = x[t] * 0.5;
    f[t] = x[t] * 2.0f;
    b[t] = t;
    int *sum = (int *)(b + n);
    if (t == 0)
        *sum = n;
    __syncthreads();
    int o = (t + 1) % n;
    y[t] = (float)d[o] + f[o] * 10 + b[o] + *sum;
}

extern "C" __global__ void cube_sums(int *out)
{
    __shared__ int c[3][4][5];
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    c[z][y][x] = x + 10 * y + 100 * z;
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 5; ++k)
        sum += c[z][y][k];
    for (int k = 0; k < 4; ++k)
        sum += c[z][k][x];
    for (int k = 0; k < 3; ++k)
        sum += c[k][y][x];
    out[(z * blockDim.y + y) * blockDim.x + x] = sum;
}

extern "C" __global__ void smooth_twice(const int *x, float *y)
{
    __shared__ float s[2][66];
    __shared__ float weight;
    int t = threadIdx.x, now = 0;
    if (t == 0) {
        weight = 0.25f;
        for (int k = 0; k < 2; ++k)
            s[k][0] = s[k][65] = 0.0f;
    }
    s[0][t + 1] = x[t];
    __syncthreads();
    for (int round = 0; round < 2; ++round, now ^= 1) {
        float *from = s[now], *to = s[1 - now];
        to[t + 1] = weight * (from[t] + 2 * from[t + 1] + from[t + 2]);
        __syncthreads();
    }
    y[t] = s[now][t + 1];
}

// Positive elements enter a queue in shared memory; its order depends on the warps, so their sum is
// kept in slot 64.
extern "C" __global__ void enqueue(const int *x, int *queue)
{
    __shared__ int items[64], length;
    int t = threadIdx.x;
    if (t == 0)
        length = 0;
    __syncthreads();
    if (x[t] > 0) {
        int at = atomicAdd(&length, 1);
        items[at] = x[t];
    }
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int k = 0; k < length; ++k)
            sum += items[k];
        queue[64] = sum;
        queue[0] = length;
    }
}
