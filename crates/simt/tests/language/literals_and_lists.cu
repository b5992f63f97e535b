// Literals with suffixes of one's own, the distance of members, the least and greatest of a list.
//
//@ buffer out f64 16 zero
//@ run literals_and_lists <<<1, 1>>> (out)
//@ expect out 1500 3000 0.25 99 7 8 16 28 40 56 2 9 -4 5 8 1

#include <algorithm>
#include <cstddef>

namespace units {
struct Metres {
    double value;
};
__device__ constexpr Metres operator+(Metres a, Metres b) { return {a.value + b.value}; }
namespace literals {
__device__ constexpr Metres operator""_m(unsigned long long v) { return {double(v)}; }
__device__ constexpr Metres operator""_km(long double v) { return {double(v) * 1000}; }
__device__ constexpr Metres operator""_km(unsigned long long v) { return {double(v) * 1000}; }
}
}

__device__ constexpr float operator""_percent(long double v) { return float(v) / 100; }
__device__ int operator""_code(char c) { return c; }
__device__ int operator""_length(const char *, size_t n) { return int(n); }

struct Inner {
    char tag;
    double list[3];
};
struct Particle {
    float mass;
    Inner inner;
    Inner more[2];
};
static_assert(offsetof(Particle, inner) == 8, "behind the mass and a gap");
__device__ char room[offsetof(Particle, more)];

extern "C" __global__ void literals_and_lists(double *out)
{
    using namespace units::literals;
    out[0] = (1_km + 500_m).value;
    out[1] = (1.5_km + 1.5_km).value;
    out[2] = 25.0_percent;
    out[3] = 'c'_code;
    out[4] = "seven"" 7"_length;
    out[5] = offsetof(Particle, inner.tag);
    out[6] = offsetof(Particle, inner.list);
    out[7] = offsetof(Particle, inner.list[1]) + sizeof(float);
    out[8] = sizeof(room);
    out[9] = __builtin_offsetof(Particle, more[0].list[1]);
    int a = 5, b = 2, c = 9;
    out[10] = std::min({a, b, c});
    out[11] = std::max({a, b, c});
    out[12] = std::min({1.5, double(-4), 2.5, 0.0});
    out[13] = std::max({a});
    out[14] = std::max({1, -8, 3}, [](int x, int y) { return x * x < y * y; }) + 16;
    out[15] = std::min(2, 1, [](int x, int y) { return x < y; });
}
