// C++17 as newer benchmarks write it: unrolling by `if constexpr`, folds, integral constants given
// to generic lambdas, constexpr members that change, an array class with iterators, tables by PTX.
//@ buffer out i32 8 zero
//@ buffer logic u32 4 zero
//@ run modern <<<1, 1>>> (out)
//@ run tables <<<1, 4>>> (logic)
//@ expect out 6 5 12 8 24 15 7 2
//@ expect logic 3 3 3 3
#include <cstdint>
#include <type_traits>
#include <utility>

template <int N, class F> __device__ __forceinline__ void unroll(F f)
{
    if constexpr (N > 0) {
        unroll<N - 1>(f);
        f(N - 1);
    }
}
template <class F, int... Is> __device__ void static_for(F f, std::integer_sequence<int, Is...>)
{
    (f(std::integral_constant<int, Is>{}), ...);
}
enum class Op : uint8_t { Add, Mul = 4 };
template <typename T, std::size_t N> struct Array {
    T data[N];
    __device__ constexpr T *begin() { return data; }
    __device__ constexpr T *end() { return data + N; }
    __device__ constexpr std::size_t size() const { return N; }
};
template <typename D> struct Base {
    __device__ void run() { static_cast<D *>(this)->impl(); }
};
struct Derived : Base<Derived> {
    int n = 0;
    __device__ void impl() { n += 5; }
};
template <auto V> struct Const { static constexpr auto value = V; };
template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> __device__ T twice(T x)
{ return x + x; }
__device__ constexpr int factorial(int n)
{
    int product = 1;
    for (int k = 2; k <= n; ++k)
        product *= k;
    return product;
}

__global__ void modern(int *out)
{
    int s = 0;
    unroll<4>([&](int i) { s += i; });
    out[0] = s;
    s = 0;
    static_for([&](auto i) { s += i * decltype(i)::value; }, std::make_integer_sequence<int, 3>{});
    out[1] = s;
    Array<int, 3> a{{1, 2, 3}};
    for (auto &x : a)
        x *= 2;
    out[2] = 0;
    for (int x : a)
        out[2] += x;
    a.begin()[0] = 8;
    out[3] = a.data[0];
    out[4] = factorial(4);
    Derived d;
    d.run();
    out[5] = d.n + twice(5);
    out[6] = Const<7>::value;
    switch (Op op = Op::Mul; op) {
    case Op::Add: out[7] = 1; break;
    case Op::Mul: out[7] = 2; [[fallthrough]];
    default: break;
    }
}

template <int lut> __device__ uint32_t lop3(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t r;
    asm volatile("lop3.b32 %0, %1, %2, %3, %4;\n" : "=r"(r) : "r"(a), "r"(b), "r"(c), "n"(lut));
    return r;
}
// Each function of three bits by its table, against the operators.
__global__ void tables(uint32_t *right)
{
    uint32_t a = threadIdx.x * 0x9e3779b9u, b = a ^ 0x0f0f1234u, c = ~a * 3u;
    right[threadIdx.x] = (lop3<(0xf0 & 0xcc) | 0xaa>(a, b, c) == ((a & b) | c) ? 1 : 0)
        | (lop3<0x96>(a, b, c) == (a ^ b ^ c) ? 2 : 0);
}

int main() { return 0; }
