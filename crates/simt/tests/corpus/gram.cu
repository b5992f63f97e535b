// C = A A^T for a 48 x 40 matrix: naive, with one row's tile shared, with both tiles, with the
// padded second tile.
//
//@ buffer a f32 1920 ints 351 -6 6
//@ buffer naive f32 2304 empty
//@ buffer tiled f32 2304 empty
//@ buffer padded f32 2304 empty
//@ buffer half f32 2304 empty
//@ run gram_naive <<<(6, 6), (8, 8)>>> (a, naive, 48, 40)
//@ count flop 184320 : 48 * 48 sums of 40 products
//@ run gram_tiled <<<(6, 6), (8, 8)>>> (a, tiled, 48, 40)
//@ run gram_padded <<<(6, 6), (8, 8)>>> (a, padded, 48, 40)
//@ run gram_symmetric <<<(6, 6), (8, 8)>>> (a, half, 48, 40)
//@ check naive exact
//@ check tiled exact
//@ check padded exact
//@ check half exact

#define K 8

extern "C" __global__ void gram_naive(const float *a, float *c, int m, int n)
{
    int i = blockIdx.y * K + threadIdx.y, j = blockIdx.x * K + threadIdx.x;
    float sum = 0.0f;
    for (int l = 0; l < n; ++l)
        sum += a[i * n + l] * a[j * n + l];
    c[i * m + j] = sum;
}

template <int PAD> __device__ void gram(const float *a, float *c, int m, int n, float (&left)[K][K],
                                        float (&right)[K][K + PAD])
{
    int tx = threadIdx.x, ty = threadIdx.y;
    float sum = 0.0f;
    for (int t = 0; t < n; t += K) {
        left[ty][tx] = a[(blockIdx.y * K + ty) * n + t + tx];
        right[ty][tx] = a[(blockIdx.x * K + ty) * n + t + tx];
        __syncthreads();
        for (int l = 0; l < K; ++l)
            sum += left[ty][l] * right[tx][l];
        __syncthreads();
    }
    c[(blockIdx.y * K + ty) * m + blockIdx.x * K + tx] = sum;
}

extern "C" __global__ void gram_tiled(const float *a, float *c, int m, int n)
{
    __shared__ float left[K][K], right[K][K];
    gram<0>(a, c, m, n, left, right);
}

extern "C" __global__ void gram_padded(const float *a, float *c, int m, int n)
{
    __shared__ float left[K][K], right[K][K + 1];
    gram<1>(a, c, m, n, left, right);
}

// Only blocks on or above the diagonal compute; each writes its mirror image too.
extern "C" __global__ void gram_symmetric(const float *a, float *c, int m, int n)
{
    if (blockIdx.x < blockIdx.y)
        return;
    int i = blockIdx.y * K + threadIdx.y, j = blockIdx.x * K + threadIdx.x;
    float sum = 0.0f;
    for (int l = 0; l < n; ++l)
        sum += a[i * n + l] * a[j * n + l];
    c[i * m + j] = sum;
    if (blockIdx.x > blockIdx.y)
        c[j * m + i] = sum;
}
