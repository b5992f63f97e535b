// Class templates whose arguments follow from what they are made of: constructors, members, guides,
// objects of several lambdas; and templates that are named before they are defined.
//
//@ buffer out f32 14 zero
//@ run deduced_classes <<<1, 1>>> (out, 14)
//@ expect out 6 4 1 7 4 1 3 3.5 2 6 1 2 5 10

#include <cuda/std/array>
#include <cuda/std/tuple>

template <typename T, int N> struct Vec;
typedef Vec<float, 3> Vec3;
__device__ float first(const Vec3 &v);

template <typename T, int N> struct Vec {
    T v[N];
    __device__ T sum() const
    {
        T s{};
        for (auto x : v)
            s += x;
        return s;
    }
};
template <typename T, typename... U> Vec(T, U...) -> Vec<T, 1 + sizeof...(U)>;
__device__ float first(const Vec3 &v) { return v.v[0]; }

template <typename T> struct Point {
    T x, y;
    __device__ Point(T a, T b) : x(a), y(b) {}
};
template <typename T> struct Interval {
    T low, high;
};
template <typename F> struct AtEnd {
    F f;
    __device__ explicit AtEnd(F g) : f(g) {}
    __device__ ~AtEnd() { f(); }
};
template <typename T> class View {
    T *p;
    int n;

public:
    __device__ View(T *q, int m) : p(q), n(m) {}
    __device__ T &operator[](int i) { return p[i]; }
    __device__ int size() const { return n; }
};
template <typename... Fs> struct overload : Fs... {
    using Fs::operator()...;
};
template <typename... Fs> overload(Fs...) -> overload<Fs...>;

__global__ void deduced_classes(float *out, int n)
{
    Vec v{1.0f, 2.0f, 3.0f};
    out[0] = v.sum();
    Point p(1.5f, 2.5f);
    out[1] = p.x + p.y;
    const Point q{1, 2};
    out[2] = q.x;
    View w(out, n);
    w[3] = w.size() / 2;
    auto r = Point(3.0f, 4.0f);
    out[4] = r.y;
    int count = 0;
    {
        AtEnd end([&] { ++count; });
    }
    out[5] = count;
    auto kind = overload{[](int) { return 1; }, [](float) { return 2; }};
    out[6] = kind(1) + kind(1.0f);
    cuda::std::tuple t{1, 2.5f};
    out[7] = cuda::std::get<0>(t) + cuda::std::get<1>(t);
    Interval range = Interval{1, 2};
    Interval same(range);
    out[8] = same.high;
    cuda::std::array list{1, 2, 3};
    for (int x : list)
        out[9] += x;
    out[10] = first(v);
    out[11] = sizeof(range) / sizeof(range.low);
    View inner = w;
    inner[12] = 5;
    w[13] = 10;
}
