// A library's elementwise kernel: any number of inputs, a functor, index types by traits.
//@ buffer out f32 6 zero
//@ buffer a f32 6 iota 0 1
//@ buffer b f32 6 fill 2
//@ buffer c f32 6 iota 10 1
//@ run go <<<1, 8>>> (out, a, b, c, 6)
//@ expect out 10 13 16 19 22 25
#include <tuple>
#include <type_traits>
#include <utility>
template <typename F, typename Out, typename... In>
__device__ __forceinline__ void apply_at(F f, int i, Out *out, const In *...in)
{ out[i] = f(in[i]...); }
template <int Vec, typename F, typename Out, typename... In>
__device__ void elementwise(int n, F f, Out *out, const In *...in)
{
    static_assert(sizeof...(In) >= 1, "at least one input");
    static_assert((std::is_arithmetic<In>::value && ...), "plain numbers");
    for (int i = (blockIdx.x * blockDim.x + threadIdx.x) * Vec; i < n;
         i += Vec * gridDim.x * blockDim.x)
#pragma unroll
        for (int v = 0; v < Vec; ++v)
            if (i + v < n) apply_at(f, i + v, out, in...);
}
struct muladd {
    __device__ float operator()(float a, float b, float c) const { return a * b + c; }
};
__global__ void go(float *out, const float *a, const float *b, const float *c, int n)
{ elementwise<2>(n, muladd{}, out, a, b, c); }
template <typename... Args> void launch(int n, Args &&...args)
{ go<<<(n + 7) / 8, 8>>>(std::forward<Args>(args)..., n); }
int main()
{
    float *p[4];
    for (auto &q : p) cudaMalloc(&q, 24);
    launch(6, p[0], p[1], p[2], p[3]);
    auto t = std::make_tuple(1, 2.0);
    return std::get<0>(t) - 1;
}
