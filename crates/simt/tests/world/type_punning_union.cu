// Bits of a float by a union that is passed and returned, as old code does (Quake's square root).
//@ buffer x f32 3 list 4 1 16
//@ buffer bits u32 3 zero
//@ run go <<<1, 3>>> (x, bits)
//@ expect bits 1082130432 1065353216 1098907648
typedef union { float f; int i; unsigned int u; } bits_t;
__host__ __device__ bits_t to_bits(float f) { bits_t b; b.f = f; return b; }
__host__ __device__ float from_bits(bits_t b) { return b.f; }
__device__ float rsqrt_guess(float x)
{
    bits_t b = to_bits(x);
    b.i = 0x5f3759df - (b.i >> 1);
    float y = from_bits(b);
    for (int k = 0; k < 3; ++k) y *= 1.5f - 0.5f * x * y * y;
    return y;
}
__global__ void go(float *x, unsigned *bits)
{
    int i = threadIdx.x;
    float r = rsqrt_guess(x[i]);
    bits[i] = to_bits(x[i]).u;
    x[i] = fabsf(r * r * x[i] - 1) < 1e-5f ? 1 : 0;
}
int main() { bits_t b = to_bits(1.0f); printf("%x\n", b.u); }
