// In the manner of the samples' simpleTemplates: a class that gives each type its own dynamic
// shared memory, specialised by a macro; kernels instantiated by the host's calls only.
//@ buffer fi f32 8 iota 0 1
//@ buffer fo f32 8 zero
//@ buffer ii i32 8 iota 0 1
//@ buffer io i32 8 zero
//@ run testKernel<float> <<<1, 8, 32>>> (fi, fo)
//@ run testKernel<int> <<<1, 8, 32>>> (ii, io)
//@ expect fo 0 8 16 24 32 40 48 56
//@ expect io 0 8 16 24 32 40 48 56
#include <cuda_runtime.h>
#include <helper_functions.h>
#include <helper_cuda.h>
template <typename T> struct SharedMemory {
    __device__ T *getPointer() {
        extern __device__ void error(void);
        error();
        return NULL;
    }
};
#define SHARED(T, n)                                      \
    template <> struct SharedMemory<T> {                  \
        __device__ T *getPointer() {                      \
            extern __shared__ T s_##n[];                  \
            return s_##n;                                 \
        }                                                 \
    };
SHARED(int, int)
SHARED(unsigned int, uint)
SHARED(float, float)
SHARED(double, double)
template <class T> __global__ void testKernel(T *g_idata, T *g_odata)
{
    SharedMemory<T> smem;
    T *sdata = smem.getPointer();
    const unsigned int tid = threadIdx.x;
    const unsigned int num_threads = blockDim.x;
    sdata[tid] = g_idata[tid];
    __syncthreads();
    sdata[tid] = (T)num_threads * sdata[tid];
    __syncthreads();
    g_odata[tid] = sdata[tid];
}
template <class T, class S> class ArrayComparator {
public:
bool compare(const T *reference, T *data, unsigned int len)
{ return compareData(reference, data, len, 0.0f, 0.0f); }
};
template <class T> void runTest(int argc, char **argv, int len)
{
    T *d = nullptr;
    cudaStream_t stream;
    checkCudaErrors(cudaStreamCreate(&stream));
    testKernel<T><<<1, len, len * sizeof(T), stream>>>(d, d);
    ArrayComparator<T, float> comparator;
    exit(comparator.compare(d, d, len) ? EXIT_SUCCESS : EXIT_FAILURE);
}
int main(int argc, char **argv) { runTest<float>(argc, argv, 32); runTest<int>(argc, argv, 64); }
template __global__ void testKernel<float>(float *, float *);
template __global__ void testKernel<int>(int *, int *);
