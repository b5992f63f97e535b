// The kernels that the engine is measured with; tools/oclgrind/engine.cl holds the same in
// OpenCL C.

extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

// Sum of each block of 256, by halves in shared memory.
extern "C" __global__ void reduce(const float *in, float *out, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

// Square matrices, tiles of 16 x 16.
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[16][16], tb[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
    float sum = 0.0f;
    for (int t = 0; t < n / 16; ++t) {
        ta[ty][tx] = a[row * n + t * 16 + tx];
        tb[ty][tx] = b[(t * 16 + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            sum += ta[ty][k] * tb[k][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

extern "C" __global__ void fir(const float *coeff, const float *x, float *y, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < taps; ++k)
        sum += coeff[k] * x[i + k];
    y[i] = sum;
}
