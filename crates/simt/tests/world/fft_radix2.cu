// Complex numbers by float2 and sincospif.
//@ buffer x f32 16 list 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
//@ run fft8 <<<1, 4>>> (x)
//@ expect x 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0
__device__ static inline float2 cmul(float2 a, float2 b)
{ return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__global__ void fft8(float2 *data)
{
    __shared__ float2 s[8];
    int t = threadIdx.x;
    s[t] = data[__brev(t) >> 29];
    s[t + 4] = data[__brev(t + 4) >> 29];
    for (int len = 1; len < 8; len *= 2) {
        __syncthreads();
        int k = t % len, i = t / len * 2 * len + k;
        float2 w;
        sincospif(-(float)k / len, &w.y, &w.x);
        float2 a = s[i], b = cmul(w, s[i + len]);
        s[i] = make_float2(a.x + b.x, a.y + b.y);
        s[i + len] = make_float2(a.x - b.x, a.y - b.y);
    }
    __syncthreads();
    data[t] = s[t];
    data[t + 4] = s[t + 4];
}
int main() { typedef float2 Complex; Complex *h = (Complex *)malloc(sizeof(Complex) * 8); free(h); }
