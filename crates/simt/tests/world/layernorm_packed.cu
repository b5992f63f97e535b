// Rows made free of their mean, 16 bytes at a time: a packed type with several constructors, one of
// them `= default`, and a reduction that is given as a template argument.
//@ buffer out i16 512 zero
//@ buffer mean f32 2 zero
//@ buffer in i16 512 iota 16256 1
//@ run centre <<<2, 64>>> (out, mean, in, 256)
//@ expect mean 2.244140625 8.9765625
#include <assert.h>
#include <cuda_bf16.h>
#include <stdio.h>
#include <stdlib.h>
#define WARP 32
typedef __nv_bfloat16 elem_t;

template <class E> struct alignas(16) Pack {
    static constexpr const size_t size = sizeof(int4) / sizeof(E);
    E payload[size];
    Pack() = default;
    __device__ explicit Pack(int4 bits)
    {
        static_assert(sizeof(bits) == sizeof(payload), "a pack has 16 bytes");
        memcpy(&payload, &bits, sizeof(bits));
    }
    __device__ static Pack filled(E value)
    {
        Pack p;
        for (int k = 0; k < size; ++k)
            p.payload[k] = value;
        return p;
    }
    __device__ E &operator[](int i) { return payload[i]; }
    __device__ const E &operator[](int i) const { return payload[i]; }
    __device__ int4 bits() const
    {
        int4 b;
        memcpy(&b, &payload, sizeof(b));
        return b;
    }
};
using pack_t = Pack<elem_t>;
template <class E> __device__ Pack<E> fetch(const E *from)
{
    return Pack<E>{__ldcs(reinterpret_cast<const int4 *>(from))};
}
template <class E> __device__ void put(E *to, Pack<E> v)
{
    *reinterpret_cast<int4 *>(to) = v.bits();
}

__device__ inline float sum_of_warp(float v)
{
    for (int offset = WARP / 2; offset > 0; offset /= 2)
        v += __shfl_xor_sync(0xffffffff, v, offset);
    return v;
}
using step_t = float (*)(float);
template <step_t step> __device__ float of_block(float v)
{
    __shared__ float parts[WARP];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    v = step(v);
    if (lane == 0)
        parts[warp] = v;
    __syncthreads();
    return step(lane < warps ? parts[lane] : 0.0f);
}

__global__ void centre(elem_t *__restrict__ out, float *mean, const elem_t *__restrict__ in, int n)
{
    float sum = 0;
    for (int i = threadIdx.x * pack_t::size; i < n; i += blockDim.x * pack_t::size) {
        pack_t p = fetch(in + blockIdx.x * n + i);
        for (int k = 0; k < pack_t::size; ++k)
            sum += (float)p[k];
    }
    sum = of_block<sum_of_warp>(sum) / n;
    if (threadIdx.x == 0 && mean != nullptr)
        __stcs(mean + blockIdx.x, sum);
    for (int i = threadIdx.x * pack_t::size; i < n; i += blockDim.x * pack_t::size) {
        pack_t p = fetch(in + blockIdx.x * n + i), q = pack_t::filled(0.0f);
        for (int k = 0; k < pack_t::size; ++k)
            q[k] = (elem_t)((float)p[k] - sum);
        put(out + blockIdx.x * n + i, q);
    }
}

int main(int argc, char **argv)
{
    const int rows = 2, n = argc > 1 ? atoi(argv[1]) : 256;
    elem_t *in, *out;
    float *mean;
    cudaMalloc(&in, rows * n * sizeof(elem_t));
    cudaMalloc(&out, rows * n * sizeof(elem_t));
    cudaMalloc(&mean, rows * sizeof(float));
    centre<<<rows, 64>>>(out, mean, in, n);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
