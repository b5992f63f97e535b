// In the manner of SHOC: templates over types, an options class, C linkage wrappers.
//@ buffer in f64 512 fill 1
//@ buffer out f64 2 zero
//@ run reduce<double, 64> <<<2, 64, 512>>> (in, out, 512)
//@ expect out 256 256
#include <cassert>
#include <iostream>
#include <vector>
using namespace std;

template <class T> class SharedMem {
public:
    __device__ inline T *getPointer() { extern __shared__ T s[]; return s; }
};
template <> class SharedMem<double> {
public:
    __device__ inline double *getPointer() { extern __shared__ double s_double[]; return s_double; }
};

template <class T, int blockSize>
__global__ void reduce(const T *__restrict__ g_idata, T *__restrict__ g_odata, const unsigned int n)
{
    const unsigned int tid = threadIdx.x;
    unsigned int i = (blockIdx.x * (blockDim.x * 2)) + tid;
    const unsigned int gridSize = blockDim.x * 2 * gridDim.x;
    SharedMem<T> shared;
    T *sdata = shared.getPointer();
    sdata[tid] = 0.0f;
    while (i < n) {
        sdata[tid] += g_idata[i] + g_idata[i + blockDim.x];
        i += gridSize;
    }
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}
template __global__ void reduce<double, 64>(const double *, double *, const unsigned int);
class OptionParser {
    std::vector<string> args;

public:
    void addOption(string name, int type, string dflt);
    bool getOptionBool(const string &s) const { return false; }
};
class ResultDatabase;
template <class T> void RunTest(string testName, ResultDatabase &resultDB, OptionParser &op)
{
    std::vector<T> h(10, T(1));
    cout << testName << endl;
}
void RunBenchmark(ResultDatabase &resultDB, OptionParser &op)
{ RunTest<float>("Reduction", resultDB, op); }
