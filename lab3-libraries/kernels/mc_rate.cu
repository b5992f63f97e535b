// How fast can points be generated and integrated? For the program `mcrate`. Given.
//
// Both kernels add the number of points of [-1, 1]^3 in the unit ball to *hits: with one shuffle
// and one atomic for each warp.

__device__ void add(unsigned count, unsigned long long *hits)
{
    for (int lanes = 1; lanes < 32; lanes *= 2)
        count += __shfl_xor_sync(0xffffffffu, count, lanes);
    if (threadIdx.x % 32 == 0)
        atomicAdd(hits, (unsigned long long)count);
}

__device__ unsigned inside(float u, float v, float w)
{
    float x = 2 * u - 1, y = 2 * v - 1, z = 2 * w - 1;
    return x * x + y * y + z * z <= 1.0f;
}

// Points from memory, numbers of (0, 1]: n is the number of groups of four points; x, y, z hold one
// float4 for each group.
extern "C" __global__ void count_points(const float4 *x, const float4 *y, const float4 *z,
                                        unsigned n, unsigned long long *hits)
{
    unsigned count = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 u = x[i], v = y[i], w = z[i];
        count += inside(u.x, v.x, w.x) + inside(u.y, v.y, w.y) + inside(u.z, v.z, w.z) +
                 inside(u.w, v.w, w.w);
    }
    add(count, hits);
}

// Points that never see memory: the four kernels below make their numbers themselves. A thread's
// state lies in registers while it works; word k of thread t is states[k * threads + t].

// 32 bits to (0, 1], as the library does it.
__device__ float unit(unsigned x)
{
    return x * 2.3283064365386963e-10f + 1.1641532182693481e-10f; // 2^-32, 2^-33
}

// XORWOW (Marsaglia, "Xorshift RNGs", 2003): a shift register of five words, and a counter.
struct Xorwow {
    unsigned v[5], d;

    __device__ unsigned next()
    {
        unsigned t = v[0] ^ v[0] >> 2;
        for (int k = 0; k < 4; k++)
            v[k] = v[k + 1];
        v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
        d += 362437;
        return v[4] + d;
    }

    __device__ float number() { return unit(next()); }

    // State word k, and back.
    __device__ unsigned word(int k) const { return k < 5 ? v[k] : d; }
    __device__ void set(int k, unsigned word)
    {
        if (k < 5)
            v[k] = word;
        else
            d = word;
    }
};

// Numbers of the next generator: two primes just below 2^32, and their reciprocals rounded up. The
// compiler would build constants of this length anew, half by half, wherever they are used.
__constant__ double m1 = 4294967087, m2 = 4294944443;
__constant__ double per_m1 = 0x1.000000d10000bp-32, per_m2 = 0x1.000059451f212p-32;
__constant__ double positive = 1370589.0 * 4294944443;

// MRG32k3a (L'Ecuyer, Operations Research 47, 1999): two recursions of order three modulo m1 and
// m2. In double precision they are exact, as all sums are below 2^53.
struct Mrg32k3a {
    double a[3], b[3];

    // q modulo m. Adding 1.5 * 2^52, and rounding down, leaves no room for a fraction: that is the
    // largest integer up to q / m. The reciprocal is too large by less than the q-th part, so that
    // the estimate of a positive q / m does not reach the next integer, 1 / m away at least.
    // Of a negative q it can fall below an integer: then the remainder is m in place of 0.
    static __device__ double modulo(double q, double m, double per_m)
    {
        const double rounder = 6755399441055744; // 1.5 * 2^52
        return fma(__fma_rd(q, per_m, rounder) - rounder, -m, q);
    }

    __device__ float number()
    {
        double x = modulo(fma(1403580.0, a[1], -810728.0 * a[0]), m1, per_m1);
        a[0] = a[1], a[1] = a[2], a[2] = x;
        // A multiple of m2 keeps the second one positive. The first is not, but where x is 0 or m1,
        // x - y becomes m1 - y.
        double y = modulo(fma(527612.0, b[2], fma(-1370589.0, b[0], positive)), m2, per_m2);
        b[0] = b[1], b[1] = b[2], b[2] = y;
        double difference = x - y;
        unsigned z = __double2loint(difference + 6755399441055744); // modulo 2^32
        if (__double2hiint(difference) <= 0)
            z -= 209; // m1 more
        return z * 2.3283065498378290e-10f; // 1 / m1
    }

    // State word k, and back.
    __device__ unsigned word(int k) const { return (unsigned)(k < 3 ? a[k] : b[k - 3]); }
    __device__ void set(int k, unsigned word)
    {
        if (k < 3)
            a[k] = word;
        else
            b[k - 3] = word;
    }
};

// n points by all threads together, each from the state that it left behind.
template <class Generator>
__device__ void count_by(unsigned n, unsigned *states, unsigned long long *hits)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    Generator g;
    for (int k = 0; k < 6; k++)
        g.set(k, states[k * threads + t]);
    unsigned count = 0;
    for (unsigned i = t; i < n; i += threads) {
        float u = g.number(), v = g.number(), w = g.number();
        count += inside(u, v, w);
    }
    for (int k = 0; k < 6; k++)
        states[k * threads + t] = g.word(k);
    add(count, hits);
}

extern "C" __global__ void count_xorwow(unsigned n, unsigned *states, unsigned long long *hits)
{
    count_by<Xorwow>(n, states, hits);
}

extern "C" __global__ void count_mrg32k3a(unsigned n, unsigned *states, unsigned long long *hits)
{
    count_by<Mrg32k3a>(n, states, hits);
}

// Sobol' points first to first + n - 1, in the order of the Gray code (Antonov and Saleev, 1979).
// directions has 32 words for each of the three coordinates. There are 2^m threads; from point i to
// point i + 2^m, with k = i / 2^m, the Gray code changes in bit m - 1 and in bit m + (the number of
// zeros that k + 1 ends in).
extern "C" __global__ void count_sobol(unsigned first, unsigned n, const unsigned *directions,
                                       unsigned long long *hits)
{
    __shared__ uint4 steps[32];
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    int m = __ffs(threads) - 1;
    if (threadIdx.x < 32) {
        // The last step of all 2^32 points leads nowhere.
        const unsigned *from = directions + m - 1, *to = directions + min(m + threadIdx.x, 31);
        steps[threadIdx.x] = make_uint4(from[0] ^ to[0], from[32] ^ to[32], from[64] ^ to[64], 0);
    }
    unsigned i = first + t, code = i ^ i >> 1, x = 0, y = 0, z = 0;
    for (int bit = 0; bit < 32; bit++)
        if (code >> bit & 1) {
            x ^= directions[bit];
            y ^= directions[32 + bit];
            z ^= directions[64 + bit];
        }
    __syncthreads();
    unsigned count = 0, k = i >> m;
    for (unsigned done = t; done < n; done += threads) {
        count += inside(unit(x), unit(y), unit(z));
        uint4 step = steps[__ffs(++k) - 1];
        x ^= step.x, y ^= step.y, z ^= step.z;
    }
    add(count, hits);
}

// Ten rounds of Philox4x32 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11):
// four numbers from a counter and a key.
__device__ uint4 philox(uint4 c, uint2 key)
{
    for (int round = 0; round < 10; round++) {
        unsigned long long p = 0xD2511F53ull * c.x, q = 0xCD9E8D57ull * c.z;
        c = make_uint4((unsigned)(q >> 32) ^ c.y ^ key.x, (unsigned)q,
                       (unsigned)(p >> 32) ^ c.w ^ key.y, (unsigned)p);
        key.x += 0x9E3779B9;
        key.y += 0xBB67AE85;
    }
    return c;
}

// Four points from three counters. n is the number of groups of four points.
extern "C" __global__ void count_philox(unsigned n, unsigned seed, unsigned long long *hits)
{
    unsigned count = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint4 a = philox(make_uint4(i, 0, 0, 0), make_uint2(seed, 0));
        uint4 b = philox(make_uint4(i, 1, 0, 0), make_uint2(seed, 0));
        uint4 c = philox(make_uint4(i, 2, 0, 0), make_uint2(seed, 0));
        count += inside(unit(a.x), unit(a.y), unit(a.z)) + inside(unit(a.w), unit(b.x), unit(b.y)) +
                 inside(unit(b.z), unit(b.w), unit(c.x)) + inside(unit(c.y), unit(c.z), unit(c.w));
    }
    add(count, hits);
}
