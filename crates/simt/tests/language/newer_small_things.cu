// Small things of C++17 and C++20: copies of `*this`, templates of variables in classes and their
// partial specialisations, `using enum`, `consteval`, raw strings, `!=` by `==`, constants of
// <numbers>, invoke; parameters that are `const` themselves.
//
//@ buffer out f32 14 zero
//@ buffer one f32 1 zero
//@ run newer_small_things <<<1, 1>>> (out)
//@ run scaled<float> <<<1, 1>>> (one, 4)
//@ expect one 4
//@ expect out 6 3 3 1 2 2 9 1 0 3 4 5 12 8

#include <cuda/cmath>
#include <cuda/std/functional>
#include <cuda/std/numbers>

enum class Colour { red = 3, green };

struct Table {
    template <typename T> static constexpr T pi = T(3.14159265358979);
    template <typename T> static constexpr int parts = 1;
};
template <typename T> constexpr int kind = 0;
template <typename T> constexpr int kind<T *> = 1;
template <typename T> constexpr int kind<T[4]> = 2;
template <> constexpr int kind<float> = 3;

struct Point {
    int x, y, more[2][2];
    __device__ bool operator==(const Point &) const = default;
    __device__ int moved(int by) const { return x + by; }
};

struct Scale {
    float factor;
    __device__ auto later() const
    {
        return [*this](float x) { return factor * x; };
    }
};

consteval int square(int x) { return x * x; }

__device__ int declared(int a, const int b);
__device__ int declared(const int a, int b) { return a - b; }

template <typename T> __global__ void scaled(T *to, const T by) { to[0] = by; }
template __global__ void scaled<float>(float *, float);

__device__ int named(Colour c)
{
    using enum Colour;
    switch (c) {
    case red:
        return 1;
    case green:
        return 2;
    }
    return 0;
}

extern "C" __global__ void newer_small_things(float *out)
{
    Scale s{2};
    auto later = s.later();
    s.factor = 5;
    out[0] = later(3);
    out[1] = int(Table::pi<float>);
    out[2] = Table::parts<int> + Table::parts<float> + 1;
    out[3] = kind<int> + kind<int *>;
    out[4] = kind<int[4]>;
    out[5] = named(Colour::green);
    out[6] = square(3);
    Point p{1, 2, {{0, 0}, {0, 4}}}, q{1, 2, {{0, 0}, {0, 5}}};
    out[7] = p != q;
    out[8] = p != p;
    out[9] = declared(5, 2);
    const char *text = R"(a"\)";
    out[10] = text[3] == 0 && text[2] == '\\' ? 4 : 0;
    out[11] = cuda::std::invoke([](int a) { return a + 1; }, 4);
    out[12] = int(cuda::std::numbers::pi_v<float>) * cuda::ceil_div(100, 32);
    out[13] = cuda::std::invoke(&Point::moved, p, 7);
}
