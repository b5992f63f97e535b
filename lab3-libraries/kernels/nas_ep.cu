// EP made for the card: what the program npb runs with `--version fast`. Exercises 3.3.3 and 3.3.4
// are the way that leads here.
//
// A thread makes 2^log_pairs pairs in a row, a chunk, and then the chunk that lies as many chunks
// further on as there are threads. What makes it fast:
//  * the generator is three operations in double precision for a number, and the numbers are in
//    (-1, 1) from the first: x = 2 r - 1 obeys the same recursion as the state. A product in
//    integers of which all bits are needed keeps a multiprocessor busy for longer.
//  * no logarithm, no root: 2 sqrt(-2 ln t / t) is a polynomial of degree 3 in t whose coefficients
//    come from a table in shared memory, one access of 16 bytes. The table's parts are short where
//    the function is steep: at 0 and, near its root, at 1.
//  * the ring of a pair comes from a product in fixed point. Of 8 pairs, a number of three bits
//    each goes into one register; then five counts of bits tell the rings.
//  * nothing branches: pairs that need care (a ring's edge is too near to be sure, or t is so near
//    to 0 or 1 that the table has no polynomial) get a bit of `careful` and are done after the 8,
//    all digits and rings right.

// The table has 2^LOG_PARTS parts for each power of two, of t below EDGE and of 4096 (1 - t) above:
// 2^-14 is the first power, 2^10 the last, of which only the first two parts are used.
#ifndef LOG_PARTS
#define LOG_PARTS 9
#endif
#define PARTS ((24 << LOG_PARTS) + 2)
#define EDGE 0.75f
#define SCALE 4096.0f
#define FIRST (113u << LOG_PARTS) // the upper bits of 2^-14 as a float
// Added to t and to 1 - t, so that both are at least the first of their powers of two.
#define ABOVE_0 0x1p-14
#define ABOVE_1 0x1p-11
// The upper half of the double 1 + ABOVE_0.
#define ONE 0x3ff00040u
#define BATCH 8

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

// A number of 46 bits as a double: s modulo 2^46.
static __device__ double lowest46(unsigned long long s)
{
    return (double)(s & ((1ull << 46) - 1));
}

// A step of the generator from x = 2 r - 1, where r = 2^-46 s and s' = a s modulo 2^46. As a is
// odd, it is a x less the nearest even number. Near `big` there are even numbers only, so the first
// sum rounds to one; and what is left has 46 bits, so nothing is lost. Longer steps have another a.
static __device__ double next(double x, double a)
{
    const double big = 1.5 * 9007199254740992.0;
    double even = fma(x, a, big) - big;
    return fma(x, a, -even);
}

// 2 sqrt(-2 ln t / t) for T = t + ABOVE_0 that is `inside`, t < 1; otherwise any number. Zero for
// t or 1 - t below 2^-15.
static __device__ double twice_factor(double T, bool inside, const double2 *table)
{
    // T as a float, without its lower half: 896 is the difference between the exponents' biases.
    float place = __int_as_float((__double2hiint(T) << 3) - (896u << 23));
    bool upper = inside && place >= EDGE;
    if (upper) place = SCALE * (float)(1.0 + ABOVE_0 + ABOVE_1) - SCALE * place;
    double2 part = table[(__float_as_uint(place) >> (23 - LOG_PARTS)) - FIRST];
    // The other two coefficients need fewer digits: they are the lower bits of the first two, which
    // are right with them. c3 is the upper 14 bits of a double, c2 the upper 24 of a float.
    double c3 = __hiloint2double(upper ? 0 : __double2loint(part.x) << 18, 0);
    double c2 = (double)__int_as_float(__double2loint(part.y) << 8);
    return fma(T, fma(T, fma(T, c3, c2), part.y), part.x);
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

// q[10] and sums[2] are cleared; a is the generator's multiplier, 5^13. A block's pairs are at most
// 2^31. Launch: a block for each multiprocessor, with 16 PARTS bytes of shared memory; 32 to 1024
// threads of a block.
extern "C" __global__ void __launch_bounds__(1024, 1)
    ep_fast(unsigned long long *q, double *sums, const double2 *table, int log_pairs,
            unsigned chunks, unsigned a)
{
    extern __shared__ double2 parts[];
    __shared__ unsigned int rings[10];
    __shared__ double xy[2];
    __shared__ double jump;    // the a of a step from the end of a chunk to a thread's next one
    const unsigned threads = gridDim.x * blockDim.x;
    for (int i = threadIdx.x; i < PARTS; i += blockDim.x) parts[i] = table[i];
    if (threadIdx.x < 10) rings[threadIdx.x] = 0;
    if (threadIdx.x < 2) xy[threadIdx.x] = 0.0;
    if (threadIdx.x == 0)
        jump = lowest46(power(a, (unsigned long long)(threads - 1) << (log_pairs + 1)));
    __syncthreads();

    unsigned chunk = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long first = (unsigned long long)chunk << (log_pairs + 1);
    double last = lowest46(271828183 * power(a, first)) * 0x1p-45 - 1.0;
    const double multiplier = a;
    double sx = 0.0, sy = 0.0;
    // Pairs by the bits of ring + 1: with bit 0, 1, 2, with bits 0 and 1, with bits 0 and 2.
    unsigned int bit0 = 0, bit1 = 0, bit2 = 0, three = 0, five = 0;
    for (; chunk < chunks; chunk += threads) {
        for (int pair = 0; pair < 1 << log_pairs; pair += BATCH) {
            double begin = last;
            unsigned careful = 0, rings_of_8 = 0;
#pragma unroll
            for (int i = 0; i < BATCH; i++) {
                double x = next(last, multiplier), y = next(x, multiplier);
                last = y;
                double T = fma(x, x, fma(y, y, ABOVE_0));
                bool inside = (unsigned)__double2hiint(T) < ONE;
                double f = twice_factor(T, inside, parts);

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
                // added, far enough from 0 and 1 to be sure of the ring. Where f is 0 they are not.
                bool unsure = (fixed & 0x1fffe000u) == 0;
                if (unsure) careful |= 1u << i;
                if (inside && !unsure) {
                    sx = fma(x, f, sx);
                    sy = fma(y, f, sy);
                    rings_of_8 = rings_of_8 << 3 | fixed >> 29;
                }
            }
            for (; careful; careful >>= 1) {
                double x = next(begin, multiplier), y = next(x, multiplier);
                begin = y;
                if (careful & 1) carefully(x, y, &sx, &sy, rings);
            }
            __syncwarp();
            const unsigned ones = 011111111;
            bit0 += __popc(rings_of_8 & ones);
            bit1 += __popc(rings_of_8 & ones << 1);
            bit2 += __popc(rings_of_8 & ones << 2);
            three += __popc(rings_of_8 & rings_of_8 >> 1 & ones);
            five += __popc(rings_of_8 & rings_of_8 >> 2 & ones);
        }
        last = next(last, jump);
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
