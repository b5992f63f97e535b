// FT made for the card: what the program npb runs with `--version fast`. Exercises 3.4.2 to 3.4.5
// are the way that leads here.
//
// The field is u[z][y][x]. One pass over memory for each axis: a block takes COLS lines of LEN
// elements, each thread has HELD of them in registers, and between the stages (radix 8; the first
// one radix FIRST) elements change hands through shared memory, real parts first, then imaginary
// ones. The first pass of an iteration multiplies by the factors of evolve on the way.
//
//   LEN     length of a line, a power of two          HELD      elements of a thread, min(LEN, 8)
//   FIRST   radix of the first stage, up to 8         COLS      lines of a block
//   SIGN    1 or -1, the sign of the exponent         ALONG_X   lines lie along x
//   EVOLVE  multiply by fx[x] fy[y] fz[z]; lines lie along z
//
// Threads of a block: (LEN / HELD, COLS) along x, else (COLS, LEN / HELD).

#ifndef LEN
#define LEN 64
#define HELD 8
#define FIRST 8
#define COLS 8
#define SIGN 1
#endif
#define THREADS (LEN / HELD)

// Where element i of line c is in shared memory: gaps keep the threads of a warp in different
// banks.
#ifdef ALONG_X
#define PITCH (LEN + LEN / 16 + 1)
#define AT(c, i) ((c) * PITCH + (i) + (i) / 16)
#define ROOM (COLS * PITCH)
#else
#define AT(c, i) (((i) + (i) / FIRST) * COLS + (c))
#define ROOM ((LEN + LEN / FIRST) * COLS)
#endif

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

// Stockham: after a stage of radix r whose groups had `span` elements, output q of butterfly j is
// element j / span * span * r + j % span + q * span, and butterfly j of the next stage takes j, j +
// LEN/8, j + 2 LEN/8, ...
static __device__ void transform(complex *v, double *shared, int c, int j, const complex *roots)
{
#if FIRST == 2
#pragma unroll
    for (int b = 0; b < HELD / 2; b++) butterfly2(v[b], v[b + HELD / 2]);
#elif FIRST == 4
#pragma unroll
    for (int b = 0; b < HELD / 4; b++)
        butterfly4(v[b], v[b + HELD / 4], v[b + HELD / 2], v[b + 3 * HELD / 4]);
#elif FIRST == 8
    butterfly8(v);
#endif
#if LEN > 8
#pragma unroll
    for (int span = FIRST; span < LEN; span *= 8) {
        // Element i of the thread is output i / (HELD / r) of butterfly j + i % (HELD / r) *
        // THREADS of the stage before, which had radix r.
        int r = span == FIRST ? FIRST : 8, before = span / r;
#pragma unroll
        for (int half = 0; half < 2; half++) {
            __syncthreads();
#pragma unroll
            for (int i = 0; i < HELD; i++) {
                int butterfly = j + i % (HELD / r) * THREADS, output = i / (HELD / r);
                int to = butterfly / before * span + butterfly % before + output * before;
                shared[AT(c, to)] = half == 0 ? v[i].x : v[i].y;
            }
            __syncthreads();
#pragma unroll
            for (int i = 0; i < HELD; i++) {
                double value = shared[AT(c, j + i * THREADS)];
                if (half == 0) v[i].x = value;
                else v[i].y = value;
            }
        }
        int turn = j % span * (LEN / (8 * span));
#pragma unroll
        for (int i = 1; i < 8; i++) {
            complex root = roots[i * turn];
            root.y *= SIGN;
            v[i] = times(v[i], root);
        }
        butterfly8(v);
    }
#endif
}

// Lines of LEN elements, `stride` apart; to may be from. roots[k] = exp(2 pi i k / LEN).
extern "C" __global__ void __launch_bounds__(THREADS *COLS, THREADS *COLS > 256 ? 2 : 1)
    ft_pass(complex *to, const complex *from, const complex *roots, long long stride,
            const double *fx, const double *fy, const double *fz, int nx)
{
    __shared__ double shared[ROOM];
    complex v[HELD];
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
    for (int i = 0; i < HELD; i++) v[i] = from[base + (j + i * THREADS) * stride];
#ifdef EVOLVE
    double factor = fx[column % nx] * fy[column / nx];
#pragma unroll
    for (int i = 0; i < HELD; i++) {
        double f = factor * fz[j + i * THREADS];
        v[i].x *= f;
        v[i].y *= f;
    }
#endif
    transform(v, shared, c, j, roots);
    // The last stage's butterfly j has the outputs j, j + THREADS, j + 2 THREADS, ...
#pragma unroll
    for (int i = 0; i < HELD; i++) to[base + (j + i * THREADS) * stride] = v[i];
}
