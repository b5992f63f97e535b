// rates: what the device model of the emulator assumes about a GPU, measured. Prints CSV: name,
// value, unit. nvcc -O3 -arch=sm_90 tools/rates/rates.cu -o rates && ./rates
//
// Throughputs are per multiprocessor and cycle, with enough warps to hide every latency; the clock
// is measured in the same run. Times are the least of several launches between two events.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

#define CHECK(call)                                                                         \
    do {                                                                                    \
        cudaError_t status = (call);                                                        \
        if (status != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

static int sms;
static double hz;

static void say(const char *name, double value, const char *unit)
{
    printf("%s,%.6g,%s\n", name, value, unit);
    fflush(stdout);
}

// Seconds between two events around `launch`: the least of `times`.
static double seconds(const std::function<void()> &launch, int times = 5)
{
    static cudaEvent_t begin = nullptr, end = nullptr;
    if (!begin) {
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
    }
    double least = 1e9;
    for (int i = 0; i <= times; ++i) {
        CHECK(cudaEventRecord(begin));
        launch();
        CHECK(cudaEventRecord(end));
        CHECK(cudaGetLastError());
        CHECK(cudaEventSynchronize(end));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (i > 0)
            least = std::min(least, 1e-3 * ms);
    }
    return least;
}

__global__ void nothing() {}

__global__ void spin(long long *out)
{
    unsigned long long t0, t1;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t0));
    long long c0 = clock64();
    while (clock64() - c0 < 20'000'000) {
    }
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t1));
    out[0] = clock64() - c0;
    out[1] = t1 - t0;
}

// ---- arithmetic: 8 independent chains a thread
template <typename T, bool with_integers>
__global__ void chains(T *out, T a, T b, int n)
{
    T x[8];
    int k[8];
    for (int j = 0; j < 8; ++j) {
        x[j] = a + threadIdx.x + j;
        k[j] = threadIdx.x + j;
    }
#pragma unroll 4
    for (int i = 0; i < n; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            x[j] = x[j] * a + b;
            if (with_integers)
                k[j] ^= (k[j] >> 1) + i;
        }
    T sum = 0;
    int all = 0;
    for (int j = 0; j < 8; ++j) {
        sum += x[j];
        all += k[j];
    }
    if (sum == T(-1) || all == -123456789)
        out[threadIdx.x] = sum;
}

// ---- shared memory: `stride` words between lanes
template <int STRIDE>
__global__ void shared_loads(int *out, int n)
{
    __shared__ int s[32 * 32 + 64];
    for (int i = threadIdx.x; i < 32 * 32 + 64; i += blockDim.x)
        s[i] = i;
    __syncthreads();
    const volatile int *p = s + (threadIdx.x % 32) * STRIDE;
    int sum = 0;
    for (int i = 0; i < n; ++i)
#pragma unroll
        for (int j = 0; j < 16; ++j)
            sum += p[j];
    if (sum == -1)
        out[threadIdx.x] = sum;
}

template <typename T>
__global__ void shared_stores(T *out, int n)
{
    __shared__ T s[1024];
    volatile int *p = (volatile int *)s + threadIdx.x;
    for (int i = 0; i < n; ++i)
#pragma unroll
        for (int j = 0; j < 16; ++j)
            *p = i + j;
    __syncthreads();
    if (n < 0)
        out[threadIdx.x] = s[threadIdx.x ^ 1];
}

// ---- caches: every thread reads words of a window again and again
template <bool L1>
__global__ void window_loads(const float4 *in, float *out, int words, int shared_window, int n)
{
    int at = shared_window ? blockIdx.x * blockDim.x + threadIdx.x : threadIdx.x;
    const float4 *base = shared_window ? in : in + (size_t)blockIdx.x * words;
    float sum = 0;
    int step = shared_window ? gridDim.x * blockDim.x : blockDim.x;
    for (int i = 0; i < n; ++i) {
#pragma unroll 4
        for (int j = 0; j < 4; ++j) {
            float4 v;
            if (L1)
                asm volatile("ld.global.ca.v4.f32 {%0,%1,%2,%3}, [%4];"
                             : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                             : "l"(base + at));
            else
                asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3}, [%4];"
                             : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                             : "l"(base + at));
            sum += v.x + v.y + v.z + v.w;
            at += step;
            if (at >= words)
                at -= words;
        }
    }
    if (sum == -1.0f)
        out[threadIdx.x] = sum;
}

__global__ void window_stores(float4 *to, int words, int n)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < n; ++i) {
        asm volatile("st.global.v4.f32 [%0], {%1,%1,%1,%1};" ::"l"(to + at), "f"((float)i)
                     : "memory");
        at += gridDim.x * blockDim.x;
        if (at >= words)
            at -= words;
    }
}

// One sector a lane.
__global__ void scattered_loads(const int *in, int *out, int words, int n)
{
    int at = (blockIdx.x * blockDim.x + threadIdx.x) * 8 % words;
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        int v;
        asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(v) : "l"(in + at));
        sum += v;
        at = (at + 8 * 131071) % words;
    }
    if (sum == -1)
        out[threadIdx.x] = sum;
}

// ---- device memory
__global__ void copy_wide(const float4 *in, float4 *out, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        out[i] = in[i];
}
__global__ void copy_each(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}
__global__ void add_each(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void add_loop(const float *a, const float *b, float *c, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        c[i] = a[i] + b[i];
}
__global__ void read_wide(const float4 *in, float *out, size_t n)
{
    float sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        float4 v = in[i];
        sum += v.x + v.y + v.z + v.w;
    }
    if (sum == -1.0f)
        out[0] = sum;
}
__global__ void write_wide(float4 *out, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        out[i] = make_float4(1, 2, 3, 4);
}
__global__ void read_scattered(const int *in, int *out, unsigned mask, int n)
{
    unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += in[at & mask];
        at = at * 1664525u + 1013904223u;
    }
    if (sum == -1)
        out[0] = sum;
}

// ---- latencies, one thread (or one block)
__global__ void chase(const uint32_t *next, int n, long long *cycles, uint32_t *out, int warm)
{
    uint32_t at = 0;
    for (int i = 0; i < warm; ++i)
        at = next[at];
    long long begin = clock64();
    for (int i = 0; i < n; ++i)
        at = next[at];
    *cycles = clock64() - begin;
    *out = at;
}
__global__ void chase_shared(int n, long long *cycles, int *out)
{
    __shared__ int next[256];
    for (int i = 0; i < 256; ++i)
        next[i] = (i + 33) % 256;
    int at = 0;
    long long begin = clock64();
    for (int i = 0; i < n; ++i)
        at = next[at];
    *cycles = clock64() - begin;
    *out = at;
}
__global__ void chase_shuffle(int n, long long *cycles, int *out)
{
    int v = threadIdx.x;
    long long begin = clock64();
    for (int i = 0; i < n; ++i)
        v = __shfl_sync(~0u, v, (v + 1) & 31);
    *cycles = clock64() - begin;
    *out = v;
}
__global__ void chase_fma(int n, long long *cycles, float *out, float a)
{
    float v = a;
    long long begin = clock64();
#pragma unroll 8
    for (int i = 0; i < n; ++i)
        v = v * a + a;
    *cycles = clock64() - begin;
    *out = v;
}
__global__ void chase_atomic(int n, long long *cycles, int *cell)
{
    int v = 0;
    long long begin = clock64();
    for (int i = 0; i < n; ++i)
        v = atomicExch(cell + (v & 1), v);
    *cycles = clock64() - begin;
    cell[2] = v;
}
__global__ void barriers(int n, long long *cycles)
{
    long long begin = clock64();
    for (int i = 0; i < n; ++i)
        __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *cycles = clock64() - begin;
}

// ---- atomics: `spread` words apart; lanes that differ keep the compiler from adding them up first
template <bool RETURNS>
__global__ void global_atomics(unsigned *cells, unsigned mask, int stride, int n)
{
    unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    unsigned v = threadIdx.x;
    for (int i = 0; i < n; ++i) {
        if (RETURNS)
            v = atomicMax(cells + (at & mask), v + i);
        else
            atomicMax(cells + (at & mask), v + i);
        at += 4096 * stride;
    }
    if (v == 0xffffffffu)
        cells[0] = v;
}
__global__ void shared_atomics(unsigned *out, unsigned mask, int n)
{
    __shared__ unsigned cells[1024];
    cells[threadIdx.x % 1024] = 0;
    __syncthreads();
    for (int i = 0; i < n; ++i)
        atomicMax(cells + (threadIdx.x & mask), threadIdx.x + i);
    __syncthreads();
    if (cells[0] == 1)
        out[0] = 1;
}

__constant__ int table[64];
__global__ void constant_loads(int *out, int spread, int n)
{
    int sum = 0;
    for (int i = 0; i < n; ++i)
#pragma unroll
        for (int j = 0; j < 16; ++j)
            sum += table[(threadIdx.x % spread + j + (sum & 1)) & 63];
    if (sum == -1)
        out[0] = sum;
}

template <typename T>
static T *memory(size_t count)
{
    T *p;
    CHECK(cudaMalloc(&p, count * sizeof(T)));
    CHECK(cudaMemset(p, 0, count * sizeof(T)));
    return p;
}

// A ring through `words` words in steps that no prefetcher follows.
static double ring(size_t words, int n, int warm, long long *cycles, uint32_t *out)
{
    std::vector<uint32_t> order(words / 32), next(words, 0);
    std::iota(order.begin(), order.end(), 0);
    uint64_t state = 7;
    for (size_t i = order.size() - 1; i > 0; --i) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        std::swap(order[i], order[(state >> 33) % (i + 1)]);
    }
    for (size_t i = 0; i < order.size(); ++i)
        next[32ull * order[i]] = 32 * order[(i + 1) % order.size()];
    // the walk begins at word 0, wherever that stands in the ring
    uint32_t *device = memory<uint32_t>(words);
    CHECK(cudaMemcpy(device, next.data(), words * 4, cudaMemcpyHostToDevice));
    chase<<<1, 1>>>(device, n, cycles, out, warm);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(device));
    return (double)*cycles / n;
}

int main()
{
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    sms = prop.multiProcessorCount;
    printf("device,%s,\n", prop.name);
    say("multiprocessors", sms, "");
    say("L2 cache", prop.l2CacheSize, "bytes");
    say("shared memory per multiprocessor", prop.sharedMemPerMultiprocessor, "bytes");
    say("shared memory per block", prop.sharedMemPerBlock, "bytes");
    say("shared memory per block opt-in", prop.sharedMemPerBlockOptin, "bytes");
    say("shared memory reserved", prop.reservedSharedMemPerBlock, "bytes");

    long long *cycles;
    CHECK(cudaMallocHost(&cycles, 64));
    void *out = memory<double>(1 << 20);
    for (int i = 0; i < 3; ++i) {
        spin<<<1, 1>>>(cycles);
        CHECK(cudaDeviceSynchronize());
    }
    hz = cycles[0] / (cycles[1] * 1e-9);
    say("clock idle card", hz * 1e-6, "MHz");

    // launches
    say("empty launch; events", 1e6 * seconds([] { nothing<<<1, 32>>>(); }, 50), "us");
    say("empty launch of 132 blocks of 256; events",
        1e6 * seconds([] { nothing<<<132, 256>>>(); }, 50), "us");
    say("event pair with nothing between", 1e6 * seconds([] {}, 50), "us");
    say("each of 100 launches in a row",
        1e4 * seconds(
                  [] {
                      for (int i = 0; i < 100; ++i) nothing<<<1, 32>>>();
                  },
                  5),
        "us");
    for (int threads : {32, 64, 128, 256, 512, 1024}) {
        int blocks = 1 << 18;
        double t = seconds([=] { nothing<<<blocks, threads>>>(); });
        char name[64];
        snprintf(name, sizeof name, "empty block of %d threads", threads);
        say(name, t * hz * sms / blocks, "cycles per multiprocessor");
    }

    // arithmetic
    int grid = 2 * sms, threads = 1024, n = 4096;
    double work = (double)grid * threads * n;
    auto rate = [&](double t, double per_step) { return work * per_step / (t * hz * sms); };
    double t =
        seconds([&] { chains<float, false><<<grid, threads>>>((float *)out, 0.999f, 0.001f, n); });
    say("f32 fused multiply-adds", rate(t, 8), "per cycle");
    t = seconds([&] { chains<double, false><<<grid, threads>>>((double *)out, 0.999, 0.001, n); });
    say("f64 fused multiply-adds", rate(t, 8), "per cycle");
    t = seconds([&] { chains<float, true><<<grid, threads>>>((float *)out, 0.999f, 0.001f, n); });
    say("f32 fused multiply-adds with two integer operations each", rate(t, 8), "per cycle");

    // shared memory
    t = seconds([&] { shared_loads<1><<<grid, threads>>>((int *)out, n); });
    say("shared loads without conflict", rate(t, 16) / 32, "wavefronts per cycle");
    t = seconds([&] { shared_loads<2><<<grid, threads>>>((int *)out, n); });
    say("shared loads with 2-way conflict", rate(t, 16) / 32 * 2, "wavefronts per cycle");
    t = seconds([&] { shared_loads<32><<<grid, threads>>>((int *)out, n / 16); });
    say("shared loads with 32-way conflict", rate(t, 1) / 32 * 32, "wavefronts per cycle");
    t = seconds([&] { shared_stores<int><<<grid, threads>>>((int *)out, n); });
    say("shared stores without conflict", rate(t, 16) / 32, "wavefronts per cycle");

    // caches
    size_t quads = size_t(1) << 28; // 4 GiB
    float4 *a = memory<float4>(quads), *b = memory<float4>(quads);
    t = seconds([&] { window_loads<true><<<grid, threads>>>(a, (float *)out, 4096, 0, n / 4); });
    say("L1 loads of 16 bytes", rate(t, 1) * 16 / 32, "sectors per cycle");
    for (int mib : {8, 24, 40, 56}) {
        t = seconds(
            [&] { window_loads<false><<<grid, threads>>>(a, (float *)out, mib << 16, 1, n / 4); });
        char name[64];
        snprintf(name, sizeof name, "L2 loads of 16 bytes from %d MiB", mib);
        say(name, rate(t, 1) * 16 / 32, "sectors per cycle");
    }
    t = seconds([&] { window_stores<<<grid, threads>>>(a, 24 << 16, n / 4); });
    say("L2 stores of 16 bytes to 24 MiB", rate(t, 0.25) * 16 / 32, "sectors per cycle");
    t = seconds([&] { scattered_loads<<<grid, threads>>>((int *)a, (int *)out, 6 << 20, n / 16); });
    say("L2 loads of a sector a lane", rate(t, 1. / 16), "sectors per cycle");

    // device memory
    auto gbs = [&](const char *name, double bytes, double t) {
        say(name, bytes / t * 1e-9, "GB/s");
    };
    double all = 16.0 * quads;
    gbs("copy of 4 GiB; 16 bytes a thread; loop", 2 * all,
        seconds([&] { copy_wide<<<8 * sms, 1024>>>(a, b, quads); }));
    gbs("copy of 4 GiB; 16 bytes a thread; 256 a block", 2 * all,
        seconds([&] { copy_wide<<<quads / 256, 256>>>(a, b, quads); }));
    gbs("read of 4 GiB", all,
        seconds([&] { read_wide<<<8 * sms, 1024>>>(a, (float *)out, quads); }));
    gbs("write of 4 GiB", all, seconds([&] { write_wide<<<8 * sms, 1024>>>(b, quads); }));
    gbs("cudaMemcpy of 4 GiB", 2 * all,
        seconds([&] { CHECK(cudaMemcpyAsync(b, a, all, cudaMemcpyDeviceToDevice)); }));
    float *x = (float *)a, *y = (float *)b, *z = x + (size_t(1) << 29);
    for (int bits : {22, 24, 26, 28}) {
        int count = 1 << bits;
        for (int block : {128, 256, 512, 1024}) {
            char name[80];
            snprintf(name, sizeof name, "vector add of 2^%d f32; %d a block", bits, block);
            gbs(name, 12.0 * count,
                seconds([&] { add_each<<<count / block, block>>>(x, y, z, count); }));
        }
        char name[80];
        snprintf(name, sizeof name, "vector add of 2^%d f32; loop", bits);
        gbs(name, 12.0 * count, seconds([&] { add_loop<<<8 * sms, 256>>>(x, y, z, count); }));
        snprintf(name, sizeof name, "copy of 2^%d f32; 256 a block", bits);
        gbs(name, 8.0 * count, seconds([&] { copy_each<<<count / 256, 256>>>(x, y, count); }));
    }
    t = seconds(
        [&] { read_scattered<<<grid, threads>>>((int *)a, (int *)out, (1u << 30) - 1, n / 16); });
    gbs("scattered words of 4 GiB (sectors)", rate(t, 1. / 16) * t * hz * sms * 32, t);

    // latencies
    chase_fma<<<1, 32>>>(4096, cycles, (float *)out, 0.5f);
    CHECK(cudaDeviceSynchronize());
    say("latency of a fused multiply-add", *cycles / 4096.0, "cycles");
    say("latency of an L1 load", ring(1 << 12, 4096, 4096, cycles, (uint32_t *)out), "cycles");
    say("latency of an L2 load", ring(1 << 22, 1 << 16, 1 << 17, cycles, (uint32_t *)out),
        "cycles");
    say("latency of a load from memory", ring(1 << 28, 1 << 14, 0, cycles, (uint32_t *)out),
        "cycles");
    chase_shared<<<1, 1>>>(4096, cycles, (int *)out);
    CHECK(cudaDeviceSynchronize());
    say("latency of a shared load", *cycles / 4096.0, "cycles");
    chase_shuffle<<<1, 32>>>(4096, cycles, (int *)out);
    CHECK(cudaDeviceSynchronize());
    say("latency of a shuffle", *cycles / 4096.0, "cycles");
    chase_atomic<<<1, 1>>>(4096, cycles, (int *)a);
    CHECK(cudaDeviceSynchronize());
    say("latency of a global atomic", *cycles / 4096.0, "cycles");
    for (int block : {32, 256, 1024}) {
        barriers<<<1, block>>>(4096, cycles);
        CHECK(cudaDeviceSynchronize());
        char name[64];
        snprintf(name, sizeof name, "barrier of %d threads", block);
        say(name, *cycles / 4096.0, "cycles");
    }

    // atomics
    CHECK(cudaMemset(a, 0, size_t(1) << 30));
    double few = (double)grid * threads * 64;
    auto lanes = [&](double t) { return few / (t * hz * sms); };
    auto red = [&](unsigned mask, int stride) {
        return seconds(
            [=] { global_atomics<false><<<grid, threads>>>((unsigned *)a, mask, stride, 64); });
    };
    auto atom = [&](unsigned mask, int stride) {
        return seconds(
            [=] { global_atomics<true><<<grid, threads>>>((unsigned *)a, mask, stride, 64); });
    };
    say("global atomics without result on one word", lanes(red(0, 1)), "lanes per cycle");
    say("global atomics without result on 32 words", lanes(red(31, 1)), "lanes per cycle");
    say("global atomics without result on 2^20 words in a row", lanes(red((1 << 20) - 1, 1)),
        "lanes per cycle");
    say("global atomics without result; 32 words apart", lanes(red((1 << 22) - 1, 32)),
        "lanes per cycle");
    say("global atomics with result on one word", lanes(atom(0, 1)), "lanes per cycle");
    say("global atomics with result on 2^20 words in a row", lanes(atom((1 << 20) - 1, 1)),
        "lanes per cycle");
    auto satom = [&](unsigned mask) {
        return seconds([=] { shared_atomics<<<grid, threads>>>((unsigned *)out, mask, 64); });
    };
    say("shared atomics on one word", lanes(satom(0)), "lanes per cycle");
    say("shared atomics on 4 words", lanes(satom(3)), "lanes per cycle");
    say("shared atomics on 1024 words", lanes(satom(1023)), "lanes per cycle");
    for (int spread : {1, 2, 8, 32}) {
        double t = seconds([&] { constant_loads<<<grid, threads>>>((int *)out, spread, 256); });
        char name[64];
        snprintf(name, sizeof name, "constant loads of %d words a warp", spread);
        say(name, (double)grid * threads / 32 * 256 * 16 / (t * hz * sms), "requests per cycle");
    }
    spin<<<1, 1>>>(cycles);
    CHECK(cudaDeviceSynchronize());
    say("clock at the end", cycles[0] / (cycles[1] * 1e-9) * 1e-6, "MHz");
    return 0;
}
