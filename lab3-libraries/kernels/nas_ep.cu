// EP made for the card: what the program npb runs with `--version fast`. Exercises 3.3.3 and 3.3.4
// are the way that leads here.
//
// A thread makes 2^log_pairs pairs in a row. What makes it fast:
//  * a state is kept 6 bits to the left, S = s 2^6: so its 46 bits lie where a double has its
//    fraction, and a number in [2, 4)
//    costs one logical operation on the upper half. Bits above do not matter: a product's lower
//    bits depend on lower bits only.
//  * nothing branches but for the rare rings: pairs that are refused get the factor 0.
//  * one logarithm from a table in shared memory and a polynomial of degree 6, one reciprocal root
//    from the card's estimate and
//    one step of third order: 25 operations in double precision for a pair.

#define TABLE 128

static __device__ unsigned long long bits_of(double x)
{ return (unsigned long long)__double_as_longlong(x); }
static __device__ double double_of(unsigned long long b)
{ return __longlong_as_double((long long)b); }
static __device__ int upper(double x) { return (int)(bits_of(x) >> 32); }

// a^n, by squaring; all bits of the product are kept.
static __device__ unsigned long long power(unsigned long long a, unsigned long long n)
{
    unsigned long long p = 1;
    for (; n; n >>= 1) {
        if (n & 1) p *= a;
        a *= a;
    }
    return p;
}

// The number in (-1, 1) of a state 6 bits to the left: 2 r - 1.
static __device__ double centred(unsigned long long S)
{
    return double_of((S & 0x000fffffffffffffull) | 0x4000000000000000ull) - 3.0;
}

// Estimate of 1/sqrt(w) to about 22 bits.
static __device__ double root_estimate(double w)
{
#ifdef __CUDACC_RTC__
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(w));
    return y;
#else
    return (double)rsqrtf((float)w);
#endif
}

// q[10] and sums[2] are cleared. table[i] = (1/c, -2 ln c) for the i-th 128th of [0.6875, 1.375).
extern "C" __global__ void __launch_bounds__(256)
    ep_fast(unsigned long long *q, double *sums, const double2 *table, int log_pairs)
{
    __shared__ double2 logs[TABLE];
    __shared__ unsigned int rare[10];
    __shared__ unsigned long long counts[4];
    __shared__ double xy[2];
    if (threadIdx.x < TABLE) logs[threadIdx.x] = table[threadIdx.x];
    if (threadIdx.x < 10) rare[threadIdx.x] = 0;
    if (threadIdx.x < 4) counts[threadIdx.x] = 0;
    if (threadIdx.x < 2) xy[threadIdx.x] = 0.0;
    __syncthreads();

    const unsigned long long a = 1220703125ull;
    unsigned long long first = (unsigned long long)(blockIdx.x * blockDim.x + threadIdx.x)
                               << (log_pairs + 1);
    unsigned long long S = (271828183ull << 6) * power(a, first);
    double sx = 0.0, sy = 0.0;
    // Accepted pairs; those whose larger coordinate reaches 1, 2, 3.
    unsigned int accepted = 0, one = 0, two = 0, three = 0;
    for (int pair = 0; pair < 1 << log_pairs; pair++) {
        S *= a;
        double x = centred(S);
        S *= a;
        double y = centred(S);
        double t = fma(x, x, y * y);

        // t = 2^k z with z in [0.6875, 1.375): L = -2 ln t = -2 k ln 2 - 2 ln c - 2 ln(1 + r), r =
        // z / c - 1.
        int moved = upper(t) - 0x3fe60000;
        double2 entry = logs[(moved >> 13) & (TABLE - 1)];
        double z =
            double_of(bits_of(t) - ((unsigned long long)(unsigned int)(moved & 0xfff00000) << 32));
        double k = double_of(0x4330000000000000ull | (unsigned int)((moved >> 20) ^ 0x80000000)) -
                   4503601774854144.0;
        double r = fma(z, entry.x, -1.0);
        double p = fma(r, 1.0 / 3, -2.0 / 5);
        p = fma(r, p, 1.0 / 2);
        p = fma(r, p, -2.0 / 3);
        p = fma(r, p, 1.0);
        p = fma(r, p, -2.0);
        double L = fma(r, p, fma(k, -1.3862943611198906, entry.y));

        // f = sqrt(L / t) = L / sqrt(L t). The tiny number keeps t = 1 from 0 times infinity.
        double w = fma(L, t, 1e-35);
        double e = root_estimate(w);
        double d = fma(-w * e, e, 1.0);
        double f = L * fma(e * d, fma(d, 0.375, 0.5), e);

        bool inside = t <= 1.0;
        f = inside ? f : 0.0;
        sx = fma(x, f, sx);
        sy = fma(y, f, sy);
        // Doubles of one sign are in the order of their upper halves; 1, 2, 3 ... have nothing in
        // the lower.
        double larger = (upper(x) & 0x7fffffff) > (upper(y) & 0x7fffffff) ? x : y;
        int h = upper(larger * f) & 0x7fffffff;
        accepted += inside;
        one += h >= 0x3ff00000;
        two += h >= 0x40000000;
        three += h >= 0x40080000;
        if (h >= 0x40100000) {
            double reached = fabs(larger * f);
            for (int ring = 4; ring < 10 && reached >= ring; ring++) atomicAdd(&rare[ring], 1u);
        }
    }

    for (int step = 16; step > 0; step /= 2) {
        sx += __shfl_down_sync(0xffffffff, sx, step);
        sy += __shfl_down_sync(0xffffffff, sy, step);
        accepted += __shfl_down_sync(0xffffffff, accepted, step);
        one += __shfl_down_sync(0xffffffff, one, step);
        two += __shfl_down_sync(0xffffffff, two, step);
        three += __shfl_down_sync(0xffffffff, three, step);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&xy[0], sx);
        atomicAdd(&xy[1], sy);
        atomicAdd(&counts[0], (unsigned long long)accepted);
        atomicAdd(&counts[1], (unsigned long long)one);
        atomicAdd(&counts[2], (unsigned long long)two);
        atomicAdd(&counts[3], (unsigned long long)three);
    }
    __syncthreads();
    if (threadIdx.x < 10) {
        int ring = threadIdx.x;
        unsigned long long here = ring < 4 ? counts[ring] : rare[ring];
        unsigned long long beyond = ring == 9 ? 0 : ring < 3 ? counts[ring + 1] : rare[ring + 1];
        if (here > beyond) atomicAdd(&q[ring], here - beyond);
    }
    if (threadIdx.x < 2) atomicAdd(&sums[threadIdx.x], xy[threadIdx.x]);
}
