// Row-wise operations of neural networks: softmax, layer normalisation, activations, a row's
// largest entry.
//
//@ buffer x f32 1600 rand 171 -5 5
//@ buffer soft f32 1600 empty
//@ buffer normed f32 1600 empty
//@ buffer gamma f32 100 rand 172 0.5 1.5
//@ buffer beta f32 100 rand 173 -1 1
//@ buffer active f32 1600 empty
//@ buffer best i32 16 empty
//@ run softmax_rows <<<16, 64>>> (x, soft, 100)
//@ run layer_norm <<<4, (32, 4)>>> (x, gamma, beta, normed, 16, 100, 1e-5)
//@ run activate <<<7, 256>>> (x, active, 1600)
//@ run argmax_rows <<<16, 32>>> (x, best, 100)
//@ check soft within 1e-6
//@ check normed within 1e-5
//@ check active within 2e-6
//@ check best exact

__device__ float block_reduce(float v, float *s, bool largest)
{
    s[threadIdx.x] = v;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            float w = s[threadIdx.x + half];
            s[threadIdx.x] = largest ? fmaxf(s[threadIdx.x], w) : s[threadIdx.x] + w;
        }
        __syncthreads();
    }
    float result = s[0];
    __syncthreads();
    return result;
}

extern "C" __global__ void softmax_rows(const float *x, float *y, int cols)
{
    __shared__ float s[64];
    x += blockIdx.x * cols;
    y += blockIdx.x * cols;
    float top = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        top = fmaxf(top, x[c]);
    top = block_reduce(top, s, true);
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        sum += expf(x[c] - top);
    sum = block_reduce(sum, s, false);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        y[c] = expf(x[c] - top) / sum;
}

// A warp per row; threadIdx.y numbers the warps of a block.
extern "C" __global__ void layer_norm(const float *x, const float *gamma, const float *beta,
                                      float *y, int rows, int cols, float epsilon)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    const float *in = x + row * cols;
    float sum = 0.0f, squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32) {
        sum += in[c];
        squares += in[c] * in[c];
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, d);
        squares += __shfl_xor_sync(0xffffffff, squares, d);
    }
    float mean = sum / cols;
    float scale = rsqrtf(squares / cols - mean * mean + epsilon);
    for (int c = threadIdx.x; c < cols; c += 32)
        y[row * cols + c] = (in[c] - mean) * scale * gamma[c] + beta[c];
}

enum class Activation { Relu, Sigmoid, Tanh, Gelu };

__device__ float apply(Activation kind, float v)
{
    switch (kind) {
    case Activation::Relu:
        return fmaxf(v, 0.0f);
    case Activation::Sigmoid:
        return 1.0f / (1.0f + expf(-v));
    case Activation::Tanh:
        return tanhf(v);
    default:
        return 0.5f * v * (1.0f + erff(v * 0.70710678f));
    }
}

extern "C" __global__ void activate(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = apply(static_cast<Activation>(i % 4), x[i]);
}

extern "C" __global__ void argmax_rows(const float *x, int *best, int cols)
{
    const float *row = x + blockIdx.x * cols;
    float top = row[0];
    int at = 0;
    for (int c = threadIdx.x; c < cols; c += 32)
        if (row[c] > top) {
            top = row[c];
            at = c;
        }
    for (int d = 16; d > 0; d >>= 1) {
        float other = __shfl_down_sync(~0u, top, d);
        int place = __shfl_down_sync(~0u, at, d);
        if (other > top || (other == top && place < at)) {
            top = other;
            at = place;
        }
    }
    if (threadIdx.x == 0)
        best[blockIdx.x] = at;
}
