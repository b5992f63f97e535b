// Convolutions with a mask in constant memory: 1-D with zero borders, 2-D 5 x 5 with tiles and
// clamped borders.
//
//@ buffer signal f32 500 ints 91 -10 10
//@ buffer filtered f32 500 empty
//@ buffer picture f32 1800 ints 92 0 255
//@ buffer blurred f32 1800 empty
//@ symbol taps f32 7 list 1 -2 3 5 3 -2 1
//@ symbol mask f32 25 list 1 4 6 4 1 4 16 24 16 4 6 24 36 24 6 4 16 24 16 4 1 4 6 4 1
//@ run convolve_1d <<<4, 128>>> (signal, filtered, 500)
//@ count cld_ser 0 : all lanes read the same tap
//@ run convolve_2d <<<(4, 3), (16, 16)>>> (picture, blurred, 50, 36)
//@ check filtered exact
//@ check blurred exact

__constant__ float taps[7];
__constant__ float mask[5][5];

extern "C" __global__ void convolve_1d(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
    for (int j = 0; j < 7; ++j) {
        int k = i + j - 3;
        if (k >= 0 && k < n)
            sum += taps[j] * in[k];
    }
    out[i] = sum;
}

__device__ int clamp_to(int v, int lo, int hi)
{
    return v < lo ? lo : (v > hi ? hi : v);
}

extern "C" __global__ void convolve_2d(const float *in, float *out, int width, int height)
{
    __shared__ float tile[20][20];
    int x0 = blockIdx.x * 16 - 2, y0 = blockIdx.y * 16 - 2;
    for (int y = threadIdx.y; y < 20; y += 16)
        for (int x = threadIdx.x; x < 20; x += 16) {
            int gx = clamp_to(x0 + x, 0, width - 1);
            int gy = clamp_to(y0 + y, 0, height - 1);
            tile[y][x] = in[gy * width + gx];
        }
    __syncthreads();
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < width && y < height) {
        float sum = 0.0f;
        for (int j = 0; j < 5; ++j)
            for (int i = 0; i < 5; ++i)
                sum += mask[j][i] * tile[threadIdx.y + j][threadIdx.x + i];
        out[y * width + x] = sum / 256.0f;
    }
}
