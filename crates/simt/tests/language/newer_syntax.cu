// What C++17 and C++20 write more briefly: `for` with a first statement or with names for parts,
// lambdas that are templates or constants, constants of classes, `= default` beside other
// constructors, assignments as places, functions of GNU C.
//
//@ buffer out i32 36 zero
//@ run newer_syntax <<<1, 1>>> (out, 7)
//@ expect out 1 2 3 14 12 6 21 15 6 6 18 120 9 40 2 7 3 4 2 31 3 3 27 3 1 16777216 -1 3 -5 -1 3 8 4 16 1 5
#include <bit>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/functional>
#include <cuda/std/optional>

struct Both {
    int a, b;
};
struct Size {
    int rows, columns;
    __host__ __device__ constexpr Size(int r, int c) : rows(r), columns(c) {}
    __host__ __device__ constexpr Size turned() const { return Size(columns, rows); }
    __host__ __device__ constexpr int count() const { return rows * columns; }
    __host__ __device__ constexpr bool operator==(const Size &o) const
    { return rows == o.rows && columns == o.columns; }
};
constexpr Size TILE = Size(4, 10).turned();
static_assert(TILE == Size(10, 4) && TILE.count() == 40, "constants of a class");

// As packed loads have it: no value unless one is given.
template <typename T> struct alignas(8) Packed {
    T value[2];
    Packed() = default;
    __device__ explicit Packed(T v) : value{v, v} {}
    static __device__ Packed made(T v)
    {
        Packed p;
        p.value[0] = v;
        return p;
    }
    __device__ Packed &operator+=(const Packed &o) { return *this = Packed(value[0] + o.value[0]); }
};
struct Base {
    int n = 7;
    Base() = default;
    __device__ explicit Base(int m) : n(m) {}
    __device__ virtual int kind() const { return 1; }
};
struct Derived : Base {
    Derived() = default;
    __device__ explicit Derived(int m) : Base(m) {}
    __device__ int kind() const override { return 2; }
};
__device__ int asked(const Base &b) { return b.kind(); }
template <typename F> __device__ constexpr int called(F f, int n) { return f(n); }

__global__ void newer_syntax(int *out, int n)
{
    __shared__ int weights[3];
    for (int i = 0; auto &w : weights)
        w = ++i;
    for (int i = 0; int w : weights)
        out[i++] = w;
    for (auto [a, b] : {Both{1, 2}, Both{3, 4}})
        out[3] += a * b;
    Both pairs[2] = {{1, 2}, {3, 4}};
    for (auto &[a, b] : pairs)
        a += b;
    out[4] = pairs[0].a + pairs[1].a + 2;
    cuda::std::array<int, 3> parts{1, 2, 3};
    auto &[x, y, z] = parts;
    out[5] = x + y + z;
    auto twice = []<typename T>(T v) { return T(2 * v); };
    out[6] = twice(7) + twice(3.9f);
    constexpr auto square = [](int v) { return v * v; };
    constexpr int COUNT = square(4);
    static_assert(square(3) == 9, "a lambda in a constant");
    int numbers[COUNT];
    for (int i = 0; i < COUNT; ++i)
        numbers[i] = i;
    out[7] = numbers[COUNT - 1];
    out[8] = [](auto... v) { return (v + ...); }(1, 2, 3);
    out[9] = called([=](int v) { return v + COUNT / 4; }, 2);
    out[10] = called([](int v) { return 9 * v; }, 2);
    auto factorial = [](auto self, int k) -> int { return k < 2 ? 1 : k * self(self, k - 1); };
    out[11] = factorial(factorial, 5);
    Packed<int> p = Packed<int>::made(4);
    p += Packed<int>(5);
    out[12] = p.value[1];
    float room[TILE.count()];
    out[13] = sizeof(room) / sizeof(float);
    Derived d, e(3);
    out[14] = asked(d);
    out[15] = d.n;
    out[16] = e.n;
    int m = 1;
    (m = 3) += 1;
    out[17] = m;
    out[18] = __builtin_popcount(5);
    out[19] = __builtin_clz(1);
    out[20] = __builtin_ctz(8);
    out[21] = __builtin_popcountll(0x100000011ull);
    out[22] = __builtin_clzll(1ll << 36);
    out[23] = __builtin_ctzll(8);
    out[24] = __builtin_parity(7);
    out[25] = __builtin_bswap32(1);
    out[26] = cuda::std::countr_zero(1u) - cuda::std::has_single_bit(8u);
    out[27] = std::popcount((unsigned char)0x70);
    out[28] = cuda::std::countl_zero((unsigned short)1) - 20;
    out[29] = (short)cuda::std::rotl((unsigned short)0xfffe, 17) + 2;
    out[30] = cuda::std::bit_width(7u);
    out[31] = cuda::std::bit_ceil(5u);
    out[32] = cuda::std::bit_floor(7u);
    out[33] = cuda::std::rotr(1u, 28);
    out[34] = cuda::std::countl_one(0x80000000u);
    cuda::std::optional<int> found;
    found.emplace(n - 2);
    out[35] = found ? *found : 0;
    if (n < 0) [[unlikely]]
        out[35] = cuda::std::plus<>{}(1, 2.5f) + cuda::std::less<>{}(1, 2);
}
