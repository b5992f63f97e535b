// EP made for the card: what the program npb runs with `--version fast`. Exercises 3.3.3 and 3.3.4
// are the way that leads here.
//
// A thread makes 2^log_pairs pairs in a row, a chunk, and then the chunk that lies as many chunks
// further on as there are threads. An operation in double precision costs about as much as two
// others, so both count here. What makes it fast:
//  * a state is kept 6 bits to the left, S = s 2^6: so its 46 bits lie where a double has its
//    fraction, and a number in [2, 4) costs one logical operation on the upper half. Bits above do
//    not matter: a product's lower bits depend on lower bits only.
//  * one logarithm from a table in shared memory and a polynomial of degree 3, one reciprocal root
//    from the card's estimate and a step of Newton's: 16 operations in double precision for a pair,
//    the logarithm right to 5e-11. The table has an entry for each of 128 parts of each power of
//    two, so its index is bits of t as they are.
//  * the ring of a pair comes from a product in fixed point. Of 8 pairs, a number of three bits
//    each goes into one register; then five counts of bits tell the rings.
//  * nothing branches: pairs that need care (a ring's edge is too near to be sure, or t is so small
//    that the table ends) get a bit of `careful` and are done after the 8, all digits and rings
//    right.

// 128 parts of each of 16 powers of two, the last one from 1 on.
#define PARTS 2048
#define BATCH 8
// Upper halves of doubles: of 1, and of 2^-15, the smallest number in the table. A pair with a
// larger t is in one of the rings 0 to 4, as -2 ln t < 25.
#define ONE 0x3ff00000u
#define SMALL 0x3f000000u
// What is added to the coefficient of r^2 in the logarithm.
#define MORE 0x5p-20

// The bits of 2.0. From constant memory, so that the compiler does not know it: with two constants
// the logical operation would be two.
__constant__ unsigned two = 0x40000000u;

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

// A state 6 bits to the left, in two halves: so its product with a is two operations.
struct State {
    unsigned upper, lower;

    __device__ void next(unsigned a)
    {
        upper = __umulhi(lower, a) + upper * a;
        lower *= a;
    }

    // The number in (-1, 1): 2 r - 1.
    __device__ double centred() const
    {
        return __hiloint2double((upper & 0x000fffffu) | two, lower) - 3.0;
    }
};

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

// 2 sqrt(L / t) with L = -2 ln t, for t in the table and below 1. Beyond 1 it is any positive
// number.
static __device__ double twice_factor(double t, const double2 *table)
{
    // t = c (1 + r) with the middle c of a part: L = -2 ln c - 2 ln(1 + r).
    double2 part = table[(unsigned)__double2hiint(t) >> 13 & (PARTS - 1)];
    double r = fma(t, part.x, -1.0);
    // -2 r + r^2 - 2/3 r^3; the next term, r^4 / 2, is at most 1.2e-10, as |r| <= 2^-8. A little
    // more of r^2 does a part of it, and what is left has its mean in the table.
    double p = fma(r, -2.0 / 3, 1.0 + MORE);
    p = fma(r, p, -2.0);
    double L = fma(r, p, part.y);
    // Newton's step for e = 1 / sqrt(w), w = L t, is e (3 - w e^2) / 2. The tiny number keeps the
    // root of 0 finite.
    double w = fma(L, t, 0x1p-116);
    double e = root_estimate(w);
    return L * e * fma(-w * e, e, 3.0);
}

// Adds a pair to sums (twice) and counts, slowly.
static __device__ void carefully(double x, double y, double *sx, double *sy, unsigned *rings)
{
    double t = fma(x, x, y * y);
    if (t > 1.0) return;
    double f = sqrt(-2.0 * log(t) / t);
    *sx += x * (2.0 * f);
    *sy += y * (2.0 * f);
    atomicAdd(&rings[(int)(fmax(fabs(x), fabs(y)) * f)], 1u);
}

// q[10] and sums[2] are cleared; a is the generator's multiplier, 5^13, as an argument, so that the
// compiler multiplies by nothing longer. table[i] = (1/c, -2 ln c + m) for the i-th 128th of a
// power of two, 2^-15 the first, where m is the mean of r^4 / 2 - MORE r^2; beyond 1 (1/c, 1). A
// block's pairs are at most 2^31. Launch: a block for each multiprocessor; 32 to 1024 threads of a
// block.
extern "C" __global__ void __launch_bounds__(1024, 1)
    ep_fast(unsigned long long *q, double *sums, const double2 *table, int log_pairs,
            unsigned chunks, unsigned a)
{
    __shared__ double2 logs[PARTS];
    __shared__ unsigned int rings[10];
    __shared__ double xy[2];
    __shared__ unsigned long long jump;    // from the end of a chunk to a thread's next one
    const unsigned threads = gridDim.x * blockDim.x;
    for (int i = threadIdx.x; i < PARTS; i += blockDim.x) logs[i] = table[i];
    if (threadIdx.x < 10) rings[threadIdx.x] = 0;
    if (threadIdx.x < 2) xy[threadIdx.x] = 0.0;
    if (threadIdx.x == 0) jump = power(a, (unsigned long long)(threads - 1) << (log_pairs + 1));
    __syncthreads();

    unsigned chunk = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long first = (unsigned long long)chunk << (log_pairs + 1);
    unsigned long long S = (271828183ull << 6) * power(a, first);
    State state = {(unsigned)(S >> 32), (unsigned)S};
    double sx = 0.0, sy = 0.0;
    // Pairs by the bits of ring + 1: with bit 0, 1, 2, with bits 0 and 1, with bits 0 and 2.
    unsigned int bit0 = 0, bit1 = 0, bit2 = 0, three = 0, five = 0;
    for (; chunk < chunks; chunk += threads) {
        for (int pair = 0; pair < 1 << log_pairs; pair += BATCH) {
            State begin = state;
            unsigned careful = 0, rings_of_8 = 0;
#pragma unroll
            for (int i = 0; i < BATCH; i++) {
                state.next(a);
                double x = state.centred();
                state.next(a);
                double y = state.centred();
                double t = fma(x, x, y * y);
                unsigned size = (unsigned)__double2hiint(t);
                double f = twice_factor(t, logs);

                // The larger coordinate, without the lower half: upper halves have the order of
                // floats.
                float larger = fmaxf(fabsf(__int_as_float(__double2hiint(x))),
                                     fabsf(__int_as_float(__double2hiint(y))));
                double xy_max = __hiloint2double(__float_as_int(larger), 0);
                // 1 + 2^-17 more than its product with f / 2, in units of 2^-29, is in the lower
                // half of the sum with 1.5 * 2^24: three bits of ring + 1, and 29 bits of the
                // fraction.
                unsigned fixed =
                    (unsigned)__double2loint(fma(xy_max, f, 2.0 + 0x1p-16 + 1.5 * 16777216.0));
                // All but 3 of 200,000 fractions are at least 2^-16: without the 2^-17 that was
                // added, far enough from 0 and 1 to be sure of the ring.
                bool unsure = (fixed & 0x1fffe000u) == 0 || size < SMALL;
                if (unsure) careful |= 1u << i;
                if (size < ONE && !unsure) {
                    sx = fma(x, f, sx);
                    sy = fma(y, f, sy);
                    rings_of_8 = rings_of_8 << 3 | fixed >> 29;
                }
            }
            for (; careful; careful >>= 1) {
                begin.next(a);
                double x = begin.centred();
                begin.next(a);
                if (careful & 1) carefully(x, begin.centred(), &sx, &sy, rings);
            }
            __syncwarp();
            const unsigned ones = 011111111;
            bit0 += __popc(rings_of_8 & ones);
            bit1 += __popc(rings_of_8 & ones << 1);
            bit2 += __popc(rings_of_8 & ones << 2);
            three += __popc(rings_of_8 & rings_of_8 >> 1 & ones);
            five += __popc(rings_of_8 & rings_of_8 >> 2 & ones);
        }
        S = ((unsigned long long)state.upper << 32 | state.lower) * jump;
        state = {(unsigned)(S >> 32), (unsigned)S};
    }

    // Ring + 1 is 1, 2, 3, 4 or 5.
    unsigned int counts[5] = {bit0 - three - five, bit1 - three, three, bit2 - five, five};
    for (int step = 16; step > 0; step /= 2) {
        sx += __shfl_down_sync(0xffffffff, sx, step);
        sy += __shfl_down_sync(0xffffffff, sy, step);
#pragma unroll
        for (int ring = 0; ring < 5; ring++)
            counts[ring] += __shfl_down_sync(0xffffffff, counts[ring], step);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&xy[0], sx);
        atomicAdd(&xy[1], sy);
#pragma unroll
        for (int ring = 0; ring < 5; ring++) atomicAdd(&rings[ring], counts[ring]);
    }
    __syncthreads();
    if (threadIdx.x < 10 && rings[threadIdx.x])
        atomicAdd(&q[threadIdx.x], (unsigned long long)rings[threadIdx.x]);
    if (threadIdx.x < 2) atomicAdd(&sums[threadIdx.x], 0.5 * xy[threadIdx.x]);
}
