// FT made for the card: what the program npb runs with `--version fast`. Exercises 3.4.2 to 3.4.5
// are the way that leads here.
//
// The field is u[z][y][x]. A block takes COLS lines of LEN elements, each thread has HELD of them
// in registers, and between the stages (radix 8; the first one radix FIRST) elements change hands
// through shared memory, real parts first, then imaginary ones. `ft_pass` does so along one axis:
// one pass over memory. The first pass of an iteration multiplies by the factors of evolve on the
// way. `ft_planes` does both other axes, and moves a plane from memory and back once only.
//
//   LEN     length of a line, a power of two          HELD      elements of a thread, min(LEN, 8)
//   FIRST   radix of the first stage, up to 8         COLS      lines of a block
//   SIGN    1 or -1, the sign of the exponent         ALONG_X   lines lie along x
//   EVOLVE  multiply by fx[x] fy[y] fz[z]; lines lie along z
//   PLANES  `ft_planes`, along y with LEN, FIRST and COLS, along x with X_LEN, X_FIRST and X_COLS
//
// Threads of a block of `ft_pass`: (LEN / HELD, COLS) along x, else (COLS, LEN / HELD).

#ifndef LEN
#define LEN 64
#define HELD 8
#define FIRST 8
#define COLS 8
#define SIGN 1
#endif
#define BLOCK (LEN / HELD * COLS)
// A thousand threads on a multiprocessor: 64 registers each.
#define BLOCKS (BLOCK < 64 ? 1 : 1024 / BLOCK)

typedef double2 complex;

static __device__ complex plus(complex a, complex b) { return make_double2(a.x + b.x, a.y + b.y); }
static __device__ complex minus(complex a, complex b) { return make_double2(a.x - b.x, a.y - b.y); }
static __device__ complex times(complex a, complex b)
{
    return make_double2(fma(a.x, b.x, -(a.y * b.y)), fma(a.x, b.y, a.y * b.x));
}
// a times i^SIGN.
static __device__ complex turned(complex a) { return make_double2(-SIGN * a.y, SIGN * a.x); }

static __device__ void butterfly2(complex &a, complex &b)
{
    complex t = minus(a, b);
    a = plus(a, b);
    b = t;
}

// In natural order, as butterfly8.
static __device__ void butterfly4(complex &a, complex &b, complex &c, complex &d)
{
    butterfly2(a, c);
    butterfly2(b, d);
    d = turned(d);
    complex sum = plus(a, b), x1 = plus(c, d), x3 = minus(c, d);
    complex x2 = minus(a, b);
    a = sum;
    b = x1;
    c = x2;
    d = x3;
}

static __device__ void butterfly8(complex *v)
{
    const double h = 0.70710678118654752440;
    butterfly4(v[0], v[2], v[4], v[6]);
    butterfly4(v[1], v[3], v[5], v[7]);
    complex o1 = v[3], o2 = turned(v[5]), o3 = v[7];
    o1 = make_double2(h * (o1.x - SIGN * o1.y), h * (o1.y + SIGN * o1.x));
    o3 = make_double2(h * (-o3.x - SIGN * o3.y), h * (-o3.y + SIGN * o3.x));
    complex e0 = v[0], e1 = v[2], e2 = v[4], e3 = v[6], o0 = v[1];
    v[0] = plus(e0, o0);
    v[1] = plus(e1, o1);
    v[2] = plus(e2, o2);
    v[3] = plus(e3, o3);
    v[4] = minus(e0, o0);
    v[5] = minus(e1, o1);
    v[6] = minus(e2, o2);
    v[7] = minus(e3, o3);
}

// `cols` lines of `len` elements in a block, each line in the registers of len / held threads.
template <int len, int held, int first, int cols, bool along_x> struct Lines {
    static const int threads = len / held;
    static const int room =
        along_x ? cols * (len + len / 16 + 1) : (len + len / first) * cols;

    // Where element i of line c is in shared memory: gaps keep the threads of a warp in different
    // banks.
    static __device__ int at(int c, int i)
    {
        return along_x ? c * (len + len / 16 + 1) + i + i / 16 : (i + i / first) * cols + c;
    }

    // Thread j of line c has elements j, j + threads, j + 2 threads, ... before and after.
    //
    // Stockham: after a stage of radix r whose groups had `span` elements, output q of butterfly j
    // is element j / span * span * r + j % span + q * span, and butterfly j of the next stage takes
    // j, j + len/8, j + 2 len/8, ...
    static __device__ void transform(complex *v, double *shared, int c, int j,
                                     const complex *roots)
    {
#pragma unroll
        for (int b = 0; b < held / first; b++) {
            if (first == 2) butterfly2(v[b], v[b + held / 2]);
            if (first == 4)
                butterfly4(v[b], v[b + held / 4], v[b + held / 2], v[b + 3 * held / 4]);
            if (first == 8) butterfly8(v);
        }
#pragma unroll
        for (int span = first; span < len; span *= 8) {
            exchange(v, shared, c, j, span);
            // The powers of one root cost less than reading them.
            complex power[8];
            power[1] = roots[j % span * (len / (8 * span))];
            power[1].y *= SIGN;
#pragma unroll
            for (int i = 1; i < 8; i++) {
                if (i > 1) power[i] = times(power[i / 2], power[i - i / 2]);
                v[i] = times(v[i], power[i]);
            }
            butterfly8(v);
        }
    }

    // Hands the outputs of a stage to the threads of the next one, whose groups have `span`
    // elements.
    static __device__ void exchange(complex *v, double *shared, int c, int j, int span)
    {
        // Element i of the thread is output i / (held / r) of butterfly j + i % (held / r) *
        // threads of the stage before, which had radix r.
        const int r = span == first ? first : 8, before = span / r;
#pragma unroll
        for (int half = 0; half < 2; half++) {
            __syncthreads();
#pragma unroll
            for (int i = 0; i < held; i++) {
                int butterfly = j + i % (held / r) * threads, output = i / (held / r);
                int to = butterfly / before * span + butterfly % before + output * before;
                shared[at(c, to)] = half == 0 ? v[i].x : v[i].y;
            }
            __syncthreads();
#pragma unroll
            for (int i = 0; i < held; i++) {
                double value = shared[at(c, j + i * threads)];
                if (half == 0) v[i].x = value;
                else v[i].y = value;
            }
        }
    }
};

#ifndef PLANES
#ifdef ALONG_X
typedef Lines<LEN, HELD, FIRST, COLS, true> Block;
#else
typedef Lines<LEN, HELD, FIRST, COLS, false> Block;
#endif

// Lines of LEN elements, `stride` apart; to may be from. roots[k] = exp(2 pi i k / LEN).
extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS)
    ft_pass(complex *to, const complex *from, const complex *roots, long long stride,
            const double *fx, const double *fy, const double *fz, int nx)
{
    __shared__ double shared[Block::room];
    const int apart = Block::threads;
    complex v[8];
#ifdef ALONG_X
    int j = threadIdx.x, c = threadIdx.y;
    long long base = (blockIdx.x * (long long)COLS + c) * LEN;
    stride = 1;
#else
    int j = threadIdx.y, c = threadIdx.x;
    // Columns of a plane are `stride`, a multiple of COLS.
    long long column = blockIdx.x * (long long)COLS + c;
    long long plane = column / stride;
    column -= plane * stride;
    long long base = plane * LEN * stride + column;
#endif
#pragma unroll
    for (int i = 0; i < HELD; i++) v[i] = from[base + (j + i * apart) * stride];
#ifdef EVOLVE
    double factor = fx[column % nx] * fy[column / nx];
#pragma unroll
    for (int i = 0; i < HELD; i++) {
        double f = factor * fz[j + i * apart];
        v[i].x *= f;
        v[i].y *= f;
    }
#endif
    Block::transform(v, shared, c, j, roots);
#pragma unroll
    for (int i = 0; i < HELD; i++) to[base + (j + i * apart) * stride] = v[i];
}
#else

// Along y, then along x, in place. What the transforms along y of a plane store is still in the
// L2 cache when those along x read it: blocks of both kinds take turns, and those along x are `lag`
// planes behind. Both kinds need as many blocks for a plane, as all threads hold 8 elements.
//
// A block along x waits for the blocks along y of its plane. They have lower numbers, so they have
// begun before it. done[plane] counts the blocks along y, then those along x, and is 0 again when
// all are there. Blocks: 2 X_LEN / COLS (planes + lag), of LEN / 8 * COLS threads.
extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS)
    ft_planes(complex *u, const complex *roots_y, const complex *roots_x, unsigned *done,
              int planes, int lag)
{
    typedef Lines<LEN, 8, FIRST, COLS, false> Y;
    typedef Lines<X_LEN, 8, X_FIRST, X_COLS, true> X;
    __shared__ double shared[Y::room > X::room ? Y::room : X::room];
    const unsigned parts = X_LEN / COLS;
    const int turn = blockIdx.x / 2 / parts, part = blockIdx.x / 2 % parts;
    const int plane = blockIdx.x % 2 == 0 ? turn : turn - lag;
    if (plane < 0 || plane >= planes) return;
    u += plane * (long long)(LEN * X_LEN);
    complex v[8];
    if (blockIdx.x % 2 == 0) {
        const int j = threadIdx.x / COLS, c = threadIdx.x % COLS;
        u += part * COLS + c;
        // These elements are not read again before they are stored, so they need no place in a
        // cache.
#pragma unroll
        for (int i = 0; i < 8; i++) v[i] = __ldcs(u + (j + i * Y::threads) * X_LEN);
        Y::transform(v, shared, c, j, roots_y);
#pragma unroll
        for (int i = 0; i < 8; i++) u[(j + i * Y::threads) * X_LEN] = v[i];
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) atomicInc(done + plane, 2 * parts - 1);
    } else {
        if (threadIdx.x == 0) {
            while (atomicAdd(done + plane, 0) < parts) {}
            atomicInc(done + plane, 2 * parts - 1);
        }
        __syncthreads();
        __threadfence();
        const int j = threadIdx.x % X::threads, c = threadIdx.x / X::threads;
        u += (part * X_COLS + c) * X_LEN;
        // From the L2 cache; back to memory, as nothing reads these elements soon.
#pragma unroll
        for (int i = 0; i < 8; i++) v[i] = __ldcg(u + j + i * X::threads);
        X::transform(v, shared, c, j, roots_x);
#pragma unroll
        for (int i = 0; i < 8; i++) __stcs(u + j + i * X::threads, v[i]);
    }
}
#endif
