// The guide's atomicAdd for double by compare and swap, under an architecture test.
//@ buffer sum f64 1 zero
//@ run total <<<2, 64>>> (sum)
//@ expect sum 8128
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#else
#error "not here"
#endif
__device__ double addDouble(double *address, double val)
{
    unsigned long long int *address_as_ull = (unsigned long long int *)address;
    unsigned long long int old = *address_as_ull, assumed;
    do {
        assumed = old;
        old = atomicCAS(address_as_ull, assumed,
                        __double_as_longlong(val + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}
__global__ void total(double *sum) { addDouble(sum, blockIdx.x * blockDim.x + threadIdx.x); }
int main() { double *d; cudaMallocManaged(&d, 8); total<<<2, 64>>>(d); printf("%g\n", *d); }
