// A generator of its own by thread, atomics on 64 bits.
//@ buffer hits u64 1 zero
//@ run pi_kernel <<<2, 32>>> (hits, 10)
//@ expect hits 640
__device__ __host__ inline unsigned lcg(unsigned &s) { return s = 1664525u * s + 1013904223u; }
__global__ void pi_kernel(unsigned long long *hits, int n)
{
    unsigned seed = 1 + blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long mine = 0;
    for (int i = 0; i < n; ++i) {
        float x = (lcg(seed) >> 8) * (1.0f / 16777216.0f),
              y = (lcg(seed) >> 8) * (1.0f / 16777216.0f);
        mine += x * x + y * y <= 2.0f;
    }
    atomicAdd(hits, mine);
}
int main() { unsigned s = 1; for (int i = 0; i < 10; ++i) lcg(s); std::cout << s << std::endl; }
