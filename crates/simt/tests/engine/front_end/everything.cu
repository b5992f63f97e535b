// Every construct of the language at least once: must compile without a word.
#include <cuda_runtime.h>
#include <stdint.h>
#include <assert.h>
#define CHECK(x) do { if (!(x)) __trap(); } while (0)
namespace geo {
struct Vec3 {
    float x, y, z;
    __host__ __device__ Vec3() : x(0), y(0), z(0) {}
    __host__ __device__ Vec3(float a, float b, float c) : x(a), y(b), z(c) {}
    __host__ __device__ Vec3 operator-() const { return Vec3(-x, -y, -z); }
    __host__ __device__ Vec3 &operator+=(const Vec3 &o)
    {
        x += o.x;
        y += o.y;
        z += o.z;
        return *this;
    }
    __host__ __device__ float operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
    static __device__ Vec3 unit() { return Vec3(1, 0, 0); }
    static const int N = 3;
};
__host__ __device__ inline Vec3 operator+(const Vec3 &a, const Vec3 &b)
{ return Vec3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ inline Vec3 operator*(float s, const Vec3 &a) { return Vec3(s * a.x, s * a.y, s * a.z); }
__device__ float dot(const Vec3 &a, const Vec3 &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
}
using geo::Vec3;
enum Color { RED, GREEN = 5, BLUE };
enum class Mode : uint8_t { A, B = 2 };
typedef struct { int a; float b[4]; } Rec;
struct Node { Node *next; int value; };
union Bits { float f; unsigned u; };
template <typename T> struct Sum {
    T identity() const;
    __device__ T operator()(T a, T b) const { return a + b; }
};
template <typename T> struct SharedMemory {
    __device__ operator T *()
    {
        extern __shared__ int s_[];
        return (T *)s_;
    }
};
template <> struct SharedMemory<double> {
    __device__ operator double *()
    {
        extern __shared__ double d_[];
        return d_;
    }
};
template <typename T, typename Op> __device__ T warp_reduce(T v, Op op) {
    #pragma unroll
    for (int o = warpSize / 2; o; o >>= 1) v = op(v, __shfl_xor_sync(0xffffffff, v, o));
    return v;
}
template <int N> struct Fact { static const int value = N * Fact<N - 1>::value; };
template <> struct Fact<0> { static const int value = 1; };
__host__ __device__ constexpr int square(int x) { return x * x; }
constexpr int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
const int BLOCK = 64;
constexpr float PI2 = 2 * 3.14159f;
__constant__ int table[] = {1, 2, 3, square(4)};
__device__ float grid_data[4][fib(7)];
static __device__ unsigned int done = 0;
extern __shared__ char dyn[];
template <typename T> __global__ void tk(T *out, int n)
{
    T *s = SharedMemory<T>();
    s[threadIdx.x] = T(n);
    out[threadIdx.x] = s[threadIdx.x];
}
template __global__ void tk<float>(float *, int);
template __global__ void tk<double>(double *out, int n);
__device__ void swap(int &a, int &b) { int t = a; a = b; b = t; }
template <class T> __device__ void swap2(T &a, T &b) { T t = a; a = b; b = t; }
__device__ int div2(int a, int b = 2) { return a / b; }
__global__ void __launch_bounds__(256, 2)
    all(float *out, const int *in, int n, Rec r, Vec3 v0, Node *list)
{
    __shared__ float tile[BLOCK][BLOCK + 1];
    __shared__ Rec recs[4];
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    Vec3 a, b(1, 2, 3), c = Vec3(4, 5, 6);
    a += b + 2.0f * c;
    a = -a;
    float d = geo::dot(a, Vec3::unit()) + a[1] + Vec3::N;
    int arr[4] = {1, 2, 3}, m[2][3] = {{1, 2, 3}, {4, 5, 6}}, k[] = {1, 2, 3, 4, 5};
    float4 q = make_float4(1, 2, 3, 4), p = {1.f, 2.f};
    int2 ij{1, 2};
    swap(arr[0], arr[1]); swap2(ij.x, ij.y); swap2<float>(q.x, q.y);
    Color col = BLUE; Mode mode = Mode::B;
    if (col == GREEN && mode != Mode::A) d += 1;
    switch (col) {
    case RED: d++; break;
    case GREEN:
    case BLUE: {
        int z = 3;
        d += z;
    } break;
    default: d = 0;
    }
    Bits bits; bits.f = d; unsigned u = bits.u;
    for (auto x : k) d += x;
    for (int i = 0, j = 10; i < j; ++i, --j) { if (i == 3) continue; d += i * j; }
    int i = 0; while (i < 10) i += 2; do { i--; } while (i > 0);
    auto f = [&](int x) { d += x; return d; };
    auto g = [=] __device__ (auto x) { return x + n; };
    d += f(2) + g(3) + g(2.5f);
    Sum<float> op;
    d = warp_reduce(d, op); d = warp_reduce(d, [](float a, float b) { return fmaxf(a, b); });
    d += Fact<5>::value + square(3) + div2(9) + div2(9, 3) + sizeof(Rec) +
         sizeof(arr) / sizeof(arr[0]);
    size_t big = (size_t)n * n; unsigned long long addr = (unsigned long long)out;
    const float4 *v4 = reinterpret_cast<const float4 *>(in); d += v4[0].x + v4->y;
    for (Node *it = list; it != nullptr; it = it->next) d += it->value;
    atomicAdd(&count, 1); atomicMax(&count, (int)u); atomicCAS(&done, 0u, 1u); atomicAdd(out, 1.0f);
    unsigned mask = __ballot_sync(0xffffffffu, d > 0); int pc = __popc(mask);
    d += __ldg(&in[3]) + __int_as_float(3) + rsqrtf(d) + pow(d, 2) + powf(d, 2) + fabs(d) +
         abs(-3) + max(1u, 2u) + min(d, 3.f) + exp(1.0) + std::abs(-2);
    tile[threadIdx.y][threadIdx.x] = d; recs[threadIdx.x & 3].b[2] = d; __syncwarp();
    float (*rows)[BLOCK + 1] = tile; d += rows[1][2];
    float *pt = &tile[0][0]; pt += 3; d += *pt++ + pt[-1]; ptrdiff_t df = pt - &tile[0][0];
    d += (n > 3 ? 1 : 2.0f) + (float)(i, n) + PI2 + table[3] + grid_data[1][2] + (df > 0) +
         (addr != 0) + (big > 3) + mask + pc;
    double dd = 1e-3; dd *= d; dd += sqrt(dd) + sinf(d);
    float s, co; sincosf(d, &s, &co);
    assert(n > 0); CHECK(n > 0);
    if (int t = n - 1; t > 3) d += t;
    if constexpr (BLOCK > 32) d += 1; else d += undefined_thing;
    static_assert(sizeof(Rec) == 20, "size");
    bool ok = !n;
    ok |= n > 2;
    ok = ok && d;
    char ch = 'a' + 1;
    short sh = ch;
    sh <<= 2;
    unsigned char uc = 255;
    uc++;
    d += sh + uc + ok;
    int *dp = (int *)dyn; dp[threadIdx.x] = 1;
    half h = __float2half(d); h = h + h; d += __half2float(h);
    long long ll = 1LL << 40; d += ll; d += 0x1.8p3f + 010 + 0b11 + 1'000 + 'x' + .5f + 1.f;
    printf("%d %f %s %p %c %5.2f%% %llu\n", n, d, "x", out, ch, d, addr);
    out[blockIdx.x * blockDim.x + threadIdx.x] = d + s + co + dd + p.x + q.w + m[1][2];
    __threadfence(); __syncthreads();
    const char *msg = "hi"; (void)msg;
    uint3 t3 = threadIdx; dim3 bd = blockDim; dim3 g2(2, 3); d += t3.x + bd.y + g2.z;
    volatile float *vs = out; vs[0] += vs[1];
    unsigned int idx = atomicInc(&done, gridDim.x); out[0] = __uint_as_float(idx);
}
