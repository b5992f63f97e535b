// Classes that host and device share, with members that only the host can have, and spellings that
// macros and templates of published code are full of.
//
//@ buffer out i32 16 zero
//@ buffer h f32 4 zero
//@ run fill <<<1, 4>>> (out, 4)
//@ run traits <<<1, 1>>> (out+4)
//@ run halves <<<1, 32>>> (h)
//@ expect out 0 3 6 9 4 12 7 8 9 0 0 0 0 0 0 0
//@ expect h 33 32 32 64
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <iostream>
#include <map>
#include <string>
#include <vector>
#include <type_traits>
#include <thrust/device_vector.h>
#include "cublasLt.h"
using namespace std;

class Shared {
public:
    int factor;
    cudaStream_t stream;
    cudaArray_t picture;
    Shared(std::string name);
    void rename(std::string fileName);
    std::map<std::string, int> report(std::ostream &out = std::cout) const;
    template <typename S> void each(std::vector<S> &v) { v.push_back(S()); }
    __host__ __device__ int times(int x) const { return factor * x; }
};
struct OnlyHost {
    std::vector<int> numbers;
    void clear();
    OnlyHost(int n);
};
void OnlyHost::clear() { numbers.clear(); }
OnlyHost::OnlyHost(int n) : numbers(n) {}
std::map<std::string, int> Shared::report(std::ostream &out) const { return {}; }
template <typename T> void launch_all(OnlyHost &host, const T *p) {}
template <> void launch_all<float>(OnlyHost &host, const float *p) { host.clear(); }

#define FOR_EACH(i, n, body)  \
    _Pragma("unroll 2")       \
    for (int i = 0; i < n; ++i) { body; }

__global__ void fill(int *out, int n)
{
    Shared *all = (Shared *)out;
    __shared__ Shared s;
    if (threadIdx.x == 0)
        s.factor = 3;
    __syncthreads();
    if (all != nullptr && threadIdx.x < n)
        out[threadIdx.x] = s.times(threadIdx.x);
}

// A type that is asked for by a value of a trait, and a pointer that nobody gives.
template <typename T, typename enable_if<is_integral<T>{}>::type * = nullptr>
__device__ int kind(T) { return 4; }
template <typename T, typename enable_if<is_floating_point<T>::value>::type * = nullptr>
__device__ int kind(T) { return 12; }
struct Choice {
    __device__ Choice(unsigned short) : which(7) {}
    __device__ Choice(__half) : which(1) {}
    int which;
};

__global__ void traits(int *out)
{
    out[0] = kind(1);
    out[1] = kind(1.0f);
    const Choice choice(0xe400 | 3);
    out[2] = choice.which;
    int sum = 0;
    for (int l = 0; l < int(sizeof(int)); ++l)
        sum += l;
    out[3] = sum + 2;
    FOR_EACH(i, 3, out[4] += 3)
}

__global__ void halves(float *h)
{
    __shared__ __half2 pair;
    __shared__ __nv_bfloat16 one;
    if (threadIdx.x == 0) {
        pair = __floats2half2_rn(0.0f, 0.0f);
        one = __float2bfloat16(0.0f);
    }
    __syncthreads();
    atomicAdd(&pair, __floats2half2_rn(1.0f, 2.0f));
    atomicAdd(&one, __float2bfloat16(1.0f));
    __half2 other = __shfl_xor_sync(0xffffffffu, __floats2half2_rn(threadIdx.x, 2.0f), 1);
    __nv_bfloat16 first = __shfl_sync(0xffffffffu, __float2bfloat16(32.0f + threadIdx.x), 0);
    __syncthreads();
    if (threadIdx.x == 0) {
        h[0] = __low2float(other) + 32.0f;
        h[1] = __bfloat162float(first);
        h[2] = __low2float(pair) * __bfloat162float(one) / 32.0f;
        h[3] = __high2float(pair);
    }
}

Shared::Shared(std::string name) : factor(1) { rename(name); }
void Shared::rename(std::string fileName) { std::cout << fileName; }

int main()
{
    OnlyHost host(3);
    launch_all<float>(host, nullptr);
    return 0;
}
