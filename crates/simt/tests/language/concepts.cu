// Concepts and `requires` (C++20): of the library and of one's own, before parameters, `auto` and
// classes, behind functions, in `if constexpr`; of two that fit, the one that requires more.
//
//@ buffer out f32 32 zero
//@ buffer more i32 2 zero
//@ run concepts <<<1, 1>>> (out)
//@ run filled<int> <<<1, 2>>> (more)
//@ expect more 7 7
//@ expect out 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32

#include <concepts>
#include <type_traits>

namespace mine {
template <typename T>
concept Number = std::integral<T> || std::floating_point<T>;

template <typename T>
concept Vector = requires(T v) {
    typename T::value_type;
    { v.x + v.y } -> std::same_as<typename T::value_type>;
    requires sizeof(T) >= 2 * sizeof(typename T::value_type);
};

template <typename V>
concept Volume = Vector<V> && requires(const V &v) { v.z; };

template <typename F, typename T>
concept Operation = requires(F f, T x) {
    { f(x, x) } -> std::convertible_to<T>;
};
}

template <typename T> struct Pair {
    typedef T value_type;
    T x, y;
};
struct Space {
    typedef float value_type;
    float x, y, z;
};
struct Plain {
    float a;
};

template <mine::Vector V> __device__ float sum(V v) { return v.x + v.y; }
template <mine::Volume V> __device__ float sum(V v) { return v.x + v.y + v.z; }
template <typename T> __device__ float sum(T) requires mine::Number<T> { return -1; }

template <typename T> requires std::integral<T> && (sizeof(T) == 8)
__device__ int kind(T) { return 3; }
template <typename T> requires std::integral<T>
__device__ int kind(T) { return 2; }
template <typename T> __device__ int kind(T) { return 1; }

__device__ auto twice(mine::Number auto x) { return x + x; }
__device__ float larger(std::floating_point auto a, std::integral auto b) { return a > b ? a : b; }
template <typename T, mine::Operation<T> F> __device__ T fold(T a, T b, T c, F f)
{ return f(f(a, b), c); }
template <std::same_as<int>... Ts> __device__ int count(Ts...) { return sizeof...(Ts); }

template <typename T> struct Size {
    static constexpr int value = 1;
    __device__ int parts() requires mine::Vector<T> { return 2; }
    __device__ int parts() { return 1; }
};
template <std::integral T> struct Size<T> {
    static constexpr int value = 2;
};
template <mine::Number T> struct Box {
    T held;
    template <std::convertible_to<T> U> __device__ void put(U v) { held = v; }
};

template <typename T> __device__ int name(const T &v)
{
    if constexpr (requires { v.z; })
        return 23;
    else if constexpr (requires { v.x; })
        return 24;
    else
        return 25;
}

template <std::integral T> __global__ void filled(T *more) { more[threadIdx.x] = 7; }
template __global__ void filled<int>(int *);

static_assert(mine::Vector<Pair<double>> && !mine::Vector<Plain> && !mine::Vector<int>, "vectors");
static_assert(mine::Volume<Space> && !mine::Volume<Pair<float>>, "volumes");

extern "C" __global__ void concepts(float *out)
{
    int i = 0;
    out[i++] = sum(Pair<float>{0.5f, 0.5f});
    out[i++] = sum(Space{0.5f, 0.5f, 1});
    out[i++] = sum(5) + 4;
    out[i++] = kind(1LL) + 1;
    out[i++] = kind(1) + 3;
    out[i++] = kind(1.0f) + 5;
    out[i++] = twice(3.5f);
    out[i++] = twice(4);
    out[i++] = larger(2.5f, 9);
    out[i++] = fold(2, 3, 5, [](int a, int b) { return a + b; });
    out[i++] = count(1, 2, 3) + 8;
    out[i++] = count() + 12;
    out[i++] = Size<float>::value + Size<long>::value + 10;
    out[i++] = Size<Space>().parts() + 12;
    out[i++] = Size<float>().parts() + 14;
    Box<float> box;
    box.put(16);
    out[i++] = box.held;
    auto half = [](std::floating_point auto x) { return x / 2; };
    out[i++] = half(34.0f);
    auto same = []<typename T>(T a, T b) requires std::equality_comparable<T> { return a == b; };
    out[i++] = same(2, 2) + 17;
    constexpr bool adds = requires(int a, float b) { a + b; };
    out[i++] = adds ? 19 : 0;
    out[i++] = mine::Operation<float (*)(float, float), float> ? 20 : 0;
    out[i++] = std::signed_integral<int> && !std::signed_integral<unsigned> ? 21 : 0;
    out[i++] = std::totally_ordered<float> && !std::totally_ordered<Plain> ? 22 : 0;
    out[i++] = name(Space{});
    out[i++] = name(Pair<int>{});
    out[i++] = name(5);
    out[i++] = std::default_initializable<Plain> && std::copyable<Plain> ? 26 : 0;
    out[i++] = std::invocable<float (*)(int), int> && !std::invocable<int> ? 27 : 0;
    out[i++] = std::derived_from<Space, Space> && !std::derived_from<Space, Plain> ? 28 : 0;
    std::integral auto n = 29;
    out[i++] = n;
    out[i++] = std::is_convertible_v<int, float> && !std::is_convertible_v<Plain, int> ? 30 : 0;
    out[i++] = std::is_base_of_v<Plain, Plain> ? 31 : 0;
    out[i++] = std::is_invocable_v<float (*)(int), int> ? 32 : 0;
}
