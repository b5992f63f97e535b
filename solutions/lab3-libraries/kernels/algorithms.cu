// Exercise 3.1.9: two algorithms as kernels. What they work on comes from the host as macros, so
// that one text serves every function, every operation and every range:
//
// ELEMENT    element i of the range: in[i], or (first + i)
// FUNCTION   f of x and p, such as (x - p) * (x - p)
// COMBINE    the operation on a and b, such as a + b
// IDENTITY   what that operation leaves alone, such as 0.0
//
// Without them this is the sum of a vector.
#ifndef ELEMENT
#define ELEMENT in[i]
#endif
#ifndef FUNCTION
#define FUNCTION x
#endif
#ifndef COMBINE
#define COMBINE a + b
#define IDENTITY 0.0
#endif

__device__ double element(const double *in, double first, unsigned long long i) { return ELEMENT; }
__device__ double f(double x, double p) { return FUNCTION; }
__device__ double combine(double a, double b) { return COMBINE; }

// out[i] = f(element i, p) for i < n. Any number of blocks of 256 threads.
extern "C" __global__ void transform(const double *in, double first, double p, unsigned long long n,
                                     double *out)
{
    // <lab
    unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += threads)
        out[i] = f(element(in, first, i), p);
    //~ // Stride over the grid, as mc_hits does.
    // lab>
}

// Block k leaves in partial[k] what its threads found, combined; the host combines the blocks. Any
// number of blocks of 256 threads.
extern "C" __global__ void transform_reduce(const double *in, double first, double p,
                                            unsigned long long n, double *partial)
{
    __shared__ double warps[8];
    // <lab
    double all = IDENTITY;
    unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += threads)
        all = combine(all, f(element(in, first, i), p));
    for (int offset = 16; offset > 0; offset /= 2)
        all = combine(all, __shfl_down_sync(0xffffffffu, all, offset));
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = all;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 8; warp++)
            all = combine(all, warps[warp]);
        partial[blockIdx.x] = all;
    }
    //~ // As mc_inertia, with combine in place of +, and IDENTITY in place of 0.
    //~ warps[0] = 0;
    // lab>
}
