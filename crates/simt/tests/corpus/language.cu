// C++ that kernels use: overloads, function and class templates, default arguments, member
// functions, operators, inheritance of data, lambdas, namespaces, references, constexpr, auto,
// static members, typedefs, scoped enums.
//
//@ buffer x i32 64 ints 291 -20 20
//@ buffer f f32 64 rand 292 -2 2
//@ buffer overloads f32 64 empty
//@ buffer generic i32 64 empty
//@ buffer stack i32 64 empty
//@ buffer lambdas i32 64 empty
//@ buffer fractions i32 128 empty
//@ buffer shapes f32 64 empty
//@ run use_overloads <<<1, 64>>> (x, f, overloads)
//@ run use_generic <<<1, 64>>> (x, generic)
//@ run use_stack <<<1, 64>>> (x, stack)
//@ run use_lambdas <<<1, 64>>> (x, lambdas, 3)
//@ run use_fractions <<<1, 64>>> (x, fractions)
//@ run use_shapes <<<1, 64>>> (f, shapes)
//@ check overloads exact
//@ check generic exact
//@ check stack exact
//@ check lambdas exact
//@ check fractions exact
//@ check shapes exact

__device__ int twice(int v) { return 2 * v; }
__device__ float twice(float v) { return 2.5f * v; }
__device__ float twice(float v, int n) { return n > 0 ? twice(v) + twice(n) : v; }
__device__ float scaled(float v, float by = 3.0f, float plus = 0.5f) { return v * by + plus; }

extern "C" __global__ void use_overloads(const int *x, const float *f, float *y)
{
    int i = threadIdx.x;
    y[i] = twice(x[i]) + twice(f[i]) + twice(f[i], x[i]) + scaled(f[i]) + scaled(f[i], 2) +
           scaled(1, f[i], f[i]);
}

template <typename T>
__device__ T larger(T a, T b)
{
    return a < b ? b : a;
}

template <typename T, int N>
struct Ring {
    T items[N];
    int next;
    __device__ Ring() : next(0)
    {
        for (int k = 0; k < N; ++k)
            items[k] = T(0);
    }
    __device__ void push(const T &v)
    {
        items[next] = v;
        next = (next + 1) % N;
    }
    __device__ T sum() const
    {
        T s = 0;
        for (int k = 0; k < N; ++k)
            s += items[k];
        return s;
    }
    __device__ T &operator[](int k) { return items[(next + k) % N]; }
};

template <int N>
__device__ constexpr int factorial()
{
    int p = 1;
    for (int k = 2; k <= N; ++k)
        p *= k;
    return p;
}

extern "C" __global__ void use_generic(const int *x, int *y)
{
    int i = threadIdx.x;
    Ring<int, 4> ring;
    for (int k = 0; k < 6; ++k)
        ring.push(x[(i + k) % 64] + k);
    ring[1] += 100;
    Ring<long long, 2> other;
    other.push(1ll << 33);
    y[i] = ring.sum() + larger(x[i], 5) + larger<int>(3, i) + (int)larger(1.5, 2.5 * i) +
           factorial<5>() + (int)(other.sum() >> 30);
}

namespace tools {
enum Mode { Add, Multiply };
typedef unsigned int uint_t;
using real = float;
constexpr int depth = 8;

class Stack {
public:
    __device__ Stack() { top = 0; }
    __device__ void push(int v)
    {
        if (top < capacity)
            data[top++] = v;
    }
    __device__ int pop() { return top > 0 ? data[--top] : 0; }
    __device__ bool empty() const { return top == 0; }

private:
    static const int capacity = depth;
    int data[depth];
    int top;
};
} // namespace tools

extern "C" __global__ void use_stack(const int *x, int *y)
{
    using namespace tools;
    int i = threadIdx.x;
    Stack s;
    int n = abs(x[i]) % 8 + 1;
    for (int k = 0; k < n; ++k)
        s.push(k + i);
    Mode mode = n % 2 ? Multiply : Add;
    uint_t result = mode == tools::Add ? 0 : 1;
    while (!s.empty()) {
        auto v = s.pop();
        result = mode == Add ? result + v : result * v;
    }
    y[i] = result;
}

template <typename F>
__device__ int fold(const int *x, int n, int start, F f)
{
    for (int k = 0; k < n; ++k)
        start = f(start, x[k]);
    return start;
}

extern "C" __global__ void use_lambdas(const int *x, int *y, int bias)
{
    int i = threadIdx.x;
    auto square = [](int v) { return v * v; };
    auto shifted = [=](int v) { return v + bias; };
    int calls = 0;
    auto counted = [&](int v) -> int {
        ++calls;
        return v - i;
    };
    int sum = fold(x, i % 5, 1, [](int a, int b) { return a * 3 + b; });
    int twice_counted = counted(7);
    twice_counted += counted(8);
    y[i] = square(x[i]) + shifted(i) + twice_counted + calls * 1000 + sum;
}

struct Fraction {
    int top, bottom;
    __device__ Fraction(int t = 0, int b = 1) : top(t), bottom(b) {}
    __device__ Fraction operator+(const Fraction &o) const
    {
        return Fraction(top * o.bottom + o.top * bottom, bottom * o.bottom);
    }
    __device__ Fraction &operator*=(const Fraction &o)
    {
        top *= o.top;
        bottom *= o.bottom;
        return *this;
    }
    __device__ bool operator<(const Fraction &o) const { return top * o.bottom < o.top * bottom; }
    __device__ operator float() const { return (float)top / bottom; }
};

__device__ Fraction operator*(int k, const Fraction &f) { return Fraction(k * f.top, f.bottom); }
__device__ bool operator==(const Fraction &a, const Fraction &b)
{ return a.top * b.bottom == b.top * a.bottom; }

template <class T>
__device__ void exchange(T &a, T &b)
{
    T t = a;
    a = b;
    b = t;
}

extern "C" __global__ void use_fractions(const int *x, int *y)
{
    int i = threadIdx.x;
    Fraction a(x[i], 3), b(2, i + 1), c;
    c = a + b;
    if (b < a)
        exchange(a, b);
    a *= Fraction(1, 2);
    c = 2 * c;
    float value = c;
    y[2 * i] = c.top - a.top + (a == b ? 5 : 0) + (int)(value * 8);
    y[2 * i + 1] = c.bottom + a.bottom;
}

struct Shape {
    float scale;
    __device__ float scaled(float v) const { return v * scale; }
};

struct Box : Shape {
    float w, h;
    __device__ float area() const { return scaled(w * h); }
};

extern "C" __global__ void use_shapes(const float *f, float *y)
{
    Box box;
    box.scale = 2.0f;
    box.w = f[threadIdx.x];
    box.h = box.w + 1.0f;
    const Box &same = box;
    Box copies[2] = {box, same};
    copies[1].w = 1.0f;
    float total = 0.0f;
    for (const Box &b : copies)
        total += b.area();
    y[threadIdx.x] = total;
}
