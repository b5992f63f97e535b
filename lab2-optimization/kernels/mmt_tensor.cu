// C = A A^T by the tensor cores: section 2.3. No exercise, and no check compares with it: what
// these kernels give is another product, of numbers with fewer bits.
//
// A tensor core multiplies 16 rows of one matrix by 8 columns of another one, and takes their
// numbers in one of few types. Here these are tf32, of 10 bits behind the point, and bfloat16, of 7
// (a float has 23); sums are floats. A number may be split: what the first type does not hold goes
// into a second part. The product is then a sum of three: high by low, low by high, high by high.
// Low by low is less than what a float holds.
//
// `pack_KIND` rounds A and lays it out in fragments, 16 rows by DEPTH columns, each of four
// matrices of 8 rows by 16 bytes, one behind the other: rows 0 to 7 and 8 to 15 of its first half,
// then of its second half. `ldmatrix` gives a lane one word of each of four such matrices, in any
// order: row lane / 4, word lane % 4, which is what `mma.sync` wants. On the left it wants all four
// of a fragment, in their order; on the right, where a column of A^T is a row of A, the first and
// third one are 8 columns, the second and fourth one the next 8. So one layout serves both sides,
// and no lane moves a word from register to register.
//
// `mmt_KIND` multiplies. A block has 128 x 128 elements of C, each of its 4 warps 64 x 64 of them:
// for eight fragments from shared memory 32 products of a warp. Stages of fragments come by
// `cp.async`, as many as there is room for, with one barrier a stage; two blocks fit a
// multiprocessor. With one number for one, a warp loads the fragments of the next step while it
// multiplies those of this one.
//
// A tensor core adds what it multiplies, and cuts digits off: it shifts the products and the sum so
// far to the place of the largest one, and drops the bits that fall out (see
// docs/kernel-language.md, "Sums of products of a warp"). With two numbers for one that would be
// the largest error of all. So there each step begins with a sum of zero, and the steps are added
// as floats are.
//
// Blocks above the diagonal return at once; every other element is stored with its mirror image.
//
// A is m x n by rows, C is m x m. `steps`: ceil(n / DEPTH), or the next multiple of 4. `packed` has
// 512 bytes for each part of each fragment, for ceil(m / 128) * 8 rows of fragments and `steps`
// columns of them. Launches: `pack_KIND` with a grid of `steps` / 4 x (rows of fragments) and 128
// threads; `mmt_KIND` with a grid of ceil(m / 128) x ceil(m / 128), 128 threads and STAGES * 32 KiB
// of shared memory.

#define STAGES 3
#define SIDE 8      // fragments of a block's rows, and of its columns
#define WARP 4      // of a warp's
#define PIECES 4    // parts of fragments of each in a stage: columns of fragments by parts
#define FRAGMENT 32 // words of 16 bytes in a part of a fragment
#define STAGE (PIECES * 2 * SIDE * FRAGMENT) // and in a stage

struct Tf32 {
    static const int DEPTH = 8;
    // One number a word; what is left of it.
    static __device__ unsigned word(const float *v, float *rest)
    {
        unsigned bits;
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(v[0]));
        rest[0] = v[0] - __uint_as_float(bits);
        return bits;
    }
    static __device__ __forceinline__ void multiply(float *c, uint4 a, unsigned b0, unsigned b1)
    {
        asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
    }
};

struct Bf16 {
    static const int DEPTH = 16;
    // Two numbers a word, the first one in the lower half.
    static __device__ unsigned word(const float *v, float *rest)
    {
        unsigned bits;
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(v[1]), "f"(v[0]));
        rest[0] = v[0] - __uint_as_float(bits << 16);
        rest[1] = v[1] - __uint_as_float(bits & 0xffff0000u);
        return bits;
    }
    static __device__ __forceinline__ void multiply(float *c, uint4 a, unsigned b0, unsigned b1)
    {
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
    }
};

// A warp makes one fragment. What lies outside A is zero.
template <typename T, int PARTS>
__device__ void pack(unsigned *packed, const float *A, int m, int n, int steps)
{
    const int PER_WORD = T::DEPTH / 8;
    const int lane = threadIdx.x % 32, step = blockIdx.x * 4 + threadIdx.x / 32;
    const int row = blockIdx.y * 16 + lane / 4, column = step * T::DEPTH + lane % 4 * PER_WORD;
    float values[4][PER_WORD];
    for (int w = 0; w < 4; w++)
        for (int e = 0; e < PER_WORD; e++) {
            const int i = row + w % 2 * 8, k = column + w / 2 * (T::DEPTH / 2) + e;
            values[w][e] = i < m && k < n ? A[(size_t)i * n + k] : 0.0f;
        }
    unsigned *to = packed + ((size_t)blockIdx.y * steps + step) * PARTS * 128 + lane;
    for (int part = 0; part < PARTS; part++)
        for (int w = 0; w < 4; w++)
            to[part * 128 + w * 32] = T::word(values[w], values[w]);
}

// A thread's share of a stage: 16 bytes of each row of fragments. `rows` and `columns` are those of
// the block, this thread's words.
__device__ __forceinline__ void fetch(uint4 *stage, const uint4 *rows, const uint4 *columns,
                                      size_t pitch)
{
    unsigned to = (unsigned)__cvta_generic_to_shared(stage + threadIdx.x);
#pragma unroll
    for (int f = 0; f < 2 * SIDE; f++) {
        const uint4 *&from = f < SIDE ? rows : columns;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
        from += pitch;
        to += PIECES * FRAGMENT * 16;
    }
}

template <int PARTS> struct Fragments {
    uint4 rows[PARTS][WARP], columns[PARTS][WARP];

    // `of_rows`, `of_columns`: the bytes of shared memory where this lane's rows of matrices begin.
    __device__ __forceinline__ void load(unsigned of_rows, unsigned of_columns)
    {
#pragma unroll
        for (int p = 0; p < PARTS; p++)
#pragma unroll
            for (int f = 0; f < WARP; f++) {
                rows[p][f] = four(of_rows + (f * PIECES + p) * FRAGMENT * 16);
                columns[p][f] = four(of_columns + (f * PIECES + p) * FRAGMENT * 16);
            }
    }
    static __device__ __forceinline__ uint4 four(unsigned at)
    {
        uint4 v;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "r"(at)
                     : "memory");
        return v;
    }
};

// Adds the products of one step to the sums of fragment row `i`. With two parts the smallest
// products come first, in a sum of their own.
template <typename T, int PARTS>
__device__ __forceinline__ void products(float (*sums)[4], const Fragments<PARTS> &of, int i)
{
    float own[2 * WARP][4] = {};
    float(*to)[4] = PARTS == 1 ? sums : own;
#pragma unroll
    for (int both = PARTS - 1; both >= 0; both--)
#pragma unroll
        for (int p = 0; p <= both; p++)
#pragma unroll
            for (int j = 0; j < WARP; j++) {
                const uint4 right = of.columns[both - p][j];
                T::multiply(to[2 * j], of.rows[p][i], right.x, right.y);
                T::multiply(to[2 * j + 1], of.rows[p][i], right.z, right.w);
            }
    if (PARTS > 1) {
#pragma unroll
        for (int j = 0; j < 2 * WARP; j++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                sums[j][e] += own[j][e];
    }
}

template <typename T, int PARTS>
__device__ __forceinline__ void multiply(float *C, const uint4 *packed, int m, int steps)
{
    extern __shared__ uint4 stages[];
    if (blockIdx.x > blockIdx.y)
        return; // above the diagonal: all threads of the block
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t pitch = (size_t)steps * PARTS * FRAGMENT; // of a row of fragments
    const uint4 *rows = packed + blockIdx.y * SIDE * pitch + threadIdx.x;
    const uint4 *columns = packed + blockIdx.x * SIDE * pitch + threadIdx.x;
    const int first_row = warp / 2 * WARP, first_column = warp % 2 * WARP;
    const unsigned of_rows =
        (unsigned)__cvta_generic_to_shared(stages + first_row * PIECES * FRAGMENT + lane);
    const int first_third = (lane / 8 % 2 * 2 + lane / 16) * 8 + lane % 8;
    const unsigned of_columns = (unsigned)__cvta_generic_to_shared(
        stages + (SIDE + first_column) * PIECES * FRAGMENT + first_third);

    const int count = steps * PARTS / PIECES; // stages in all
    for (int s = 0; s < STAGES; s++) {
        if (s < count)
            fetch(stages + s * STAGE, rows + s * PIECES * FRAGMENT, columns + s * PIECES * FRAGMENT,
                  pitch);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1) : "memory");
    __syncthreads();

    // The next stage is there, and nobody needs stage `s` any more: another one takes its place.
    const auto turn = [&](int s) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        const int next = s + STAGES;
        if (next < count)
            fetch(stages + s % STAGES * STAGE, rows + next * PIECES * FRAGMENT,
                  columns + next * PIECES * FRAGMENT, pitch);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    const int STEPS = PIECES / PARTS;
    const bool AHEAD = PARTS == 1; // two parts leave no registers for it
    float sums[WARP][2 * WARP][4] = {};
    Fragments<PARTS> of[1 + AHEAD];
    if (AHEAD)
        of[0].load(of_rows, of_columns);
    for (int s = 0; s < count; s++) {
        const int here = s % STAGES * STAGE * 16;
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            const int now = here + step * PARTS * FRAGMENT * 16;
            const bool last = step == STEPS - 1;
            if (!AHEAD) {
                of[0].load(of_rows + now, of_columns + now);
            } else if (!last) {
                of[(step + 1) % 2].load(of_rows + now + FRAGMENT * 16,
                                        of_columns + now + FRAGMENT * 16);
            } else {
                turn(s);
                const int then = (s + 1) % STAGES * STAGE * 16;
                if (s + 1 < count)
                    of[0].load(of_rows + then, of_columns + then);
            }
#pragma unroll
            for (int i = 0; i < WARP; i++)
                products<T, PARTS>(sums[i], of[AHEAD ? step % 2 : 0], i);
            if (!AHEAD && last)
                turn(s);
        }
    }
    // Lane l has columns 2 (l % 4) and the next of rows l / 4 and l / 4 + 8.
    const int r0 = (blockIdx.y * SIDE + first_row) * 16 + lane / 4;
    const int c0 = (blockIdx.x * SIDE + first_column) * 16 + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < WARP; i++)
#pragma unroll
        for (int j = 0; j < 2 * WARP; j++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const int row = r0 + i * 16 + e / 2 * 8, column = c0 + j * 8 + e % 2;
                if (row >= m || column > row)
                    continue;
                C[(size_t)row * m + column] = sums[i][j][e];
                if (column < row)
                    C[(size_t)column * m + row] = sums[i][j][e];
            }
}

#define KERNELS(KIND, TYPE, PARTS)                                                                 \
    extern "C" __global__ void __launch_bounds__(128)                                              \
        pack_##KIND(unsigned *packed, const float *A, int m, int n, int steps)                     \
    { pack<TYPE, PARTS>(packed, A, m, n, steps); }                                                 \
    extern "C" __global__ void __launch_bounds__(128, 2)                                           \
        mmt_##KIND(float *C, const uint4 *packed, int m, int steps)                                \
    { multiply<TYPE, PARTS>(C, packed, m, steps); }

KERNELS(bf16, Bf16, 1)
KERNELS(tf32, Tf32, 1)
KERNELS(bf16_twice, Bf16, 2)
KERNELS(tf32_twice, Tf32, 2)
