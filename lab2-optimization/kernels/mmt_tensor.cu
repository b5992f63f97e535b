// C = A A^T by the tensor cores: section 2.3. No exercise, and no check compares with it: what
// these kernels give is another product, of numbers with fewer bits.
//
// A tensor core multiplies 16 rows of one matrix by 8 columns of another one, and takes their
// numbers in one of few types. Here these are tf32, of 10 bits behind the point, and bfloat16, of 7
// (a float has 23); sums are floats. A number may be split: what the first type does not hold goes
// into a second part. The product is then a sum of three: high by low, low by high, high by high.
// Low by low is less than what a float holds.
//
// `pack_KIND` rounds A and lays it out in fragments, 16 rows by DEPTH columns, as `mma.sync` wants
// them in the registers of a warp: each lane's four words side by side, so that a lane reads its
// part in 16 bytes, without a conflict. The manual of PTX gives the places: lane l has rows l / 4
// (words 0 and 2) and l / 4 + 8 (words 1 and 3) and columns from l % 4 on. A column of A^T is a row
// of A, and the places for the right operand are the same: words 0 and 2 are 8 columns of A^T,
// words 1 and 3 the next 8. So one layout serves both sides.
//
// `mmt_KIND` multiplies. A block has 256 x 128 elements of C, each of its 8 warps 64 x 64 of them:
// for eight fragments from shared memory 32 products of a warp. Fragments come by `cp.async`,
// STAGES - 1 stages ahead, with one barrier a stage. Blocks above the diagonal return at once;
// every other element is stored with its mirror image.
//
// A is m x n by rows, C is m x m. `steps`: ceil(n / DEPTH), or the next multiple of 4. `packed`
// has 512 bytes for each part of each fragment, for ceil(m / 256) * 16 rows of fragments and
// `steps` columns of them. Launches: `pack_KIND` with a grid of `steps` / 4 x (rows of fragments)
// and 128 threads; `mmt_KIND` with a grid of ceil(m / 128) x ceil(m / 256), 256 threads and STAGES
// * 48 KiB of shared memory.

#define STAGES 4
#define ROWS 16     // fragments of a block's rows,
#define COLUMNS 8   // of its columns,
#define PIECES 4    // and parts of fragments of each in a stage: columns by parts
#define STAGE (PIECES * (ROWS + COLUMNS) * 32) // in words of 16 bytes
#define WARP 4      // fragments of a warp's rows, and of its columns

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
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
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
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                     "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
    }
};

// A warp makes one fragment. What lies outside A is zero.
template <typename T, int PARTS>
__device__ void pack(uint4 *packed, const float *A, int m, int n, int steps)
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
    uint4 *to = packed + ((size_t)blockIdx.y * steps + step) * PARTS * 32 + lane;
    for (int part = 0; part < PARTS; part++) {
        unsigned words[4];
        for (int w = 0; w < 4; w++)
            words[w] = T::word(values[w], values[w]);
        to[part * 32] = make_uint4(words[0], words[1], words[2], words[3]);
    }
}

// A thread's share of a stage: 16 bytes of every 4096, which are those of two rows of fragments.
__device__ __forceinline__ void fetch(uint4 *stage, const uint4 *rows, const uint4 *columns,
                                      size_t pitch)
{
    const int piece = threadIdx.x % 128, half = threadIdx.x / 128;
#pragma unroll
    for (int f = half; f < ROWS + COLUMNS; f += 2) {
        const uint4 *from = f < ROWS ? rows + f * pitch : columns + (f - ROWS) * pitch;
        const unsigned to = (unsigned)__cvta_generic_to_shared(stage + f * 128 + piece);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + piece)
                     : "memory");
    }
}

template <typename T, int PARTS>
__device__ __forceinline__ void multiply(float *C, const uint4 *packed, int m, int steps)
{
    extern __shared__ uint4 stages[];
    if (blockIdx.x * COLUMNS >= (blockIdx.y + 1) * ROWS)
        return; // above the diagonal: all threads of the block
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t pitch = (size_t)steps * PARTS * 32; // of a row of fragments
    const uint4 *rows = packed + blockIdx.y * ROWS * pitch;
    const uint4 *columns = packed + blockIdx.x * COLUMNS * pitch;
    const int first_row = warp / 2 * WARP, first_column = warp % 2 * WARP;
    const uint4 *const of_rows = stages + first_row * PIECES * 32 + lane;
    const uint4 *const of_columns = stages + (ROWS + first_column) * PIECES * 32 + lane;

    const int count = steps * PARTS / PIECES; // stages in all
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < count)
            fetch(stages + s * STAGE, rows + s * PIECES * 32, columns + s * PIECES * 32, pitch);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    float sums[WARP][2 * WARP][4] = {};
    for (int s = 0; s < count; s++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads(); // this stage is there, and nobody reads the one before any more
        const int next = s + STAGES - 1;
        if (next < count)
            fetch(stages + next % STAGES * STAGE, rows + next * PIECES * 32,
                  columns + next * PIECES * 32, pitch);
        asm volatile("cp.async.commit_group;" ::: "memory");
        const int now = s % STAGES * STAGE;
#pragma unroll
        for (int step = 0; step < PIECES / PARTS; step++) {
            uint4 a[PARTS][WARP], b[PARTS][WARP];
#pragma unroll
            for (int p = 0; p < PARTS; p++)
#pragma unroll
                for (int f = 0; f < WARP; f++) {
                    a[p][f] = of_rows[now + (f * PIECES + step * PARTS + p) * 32];
                    b[p][f] = of_columns[now + (f * PIECES + step * PARTS + p) * 32];
                }
            // The smallest products first.
#pragma unroll
            for (int both = PARTS - 1; both >= 0; both--)
#pragma unroll
                for (int p = 0; p <= both; p++)
#pragma unroll
                    for (int i = 0; i < WARP; i++)
#pragma unroll
                        for (int j = 0; j < WARP; j++) {
                            const uint4 right = b[both - p][j];
                            T::multiply(sums[i][2 * j], a[p][i], right.x, right.z);
                            T::multiply(sums[i][2 * j + 1], a[p][i], right.y, right.w);
                        }
        }
    }
    // Lane l has columns 2 (l % 4) and the next of rows l / 4 and l / 4 + 8.
    const int r0 = (blockIdx.y * ROWS + first_row) * 16 + lane / 4;
    const int c0 = (blockIdx.x * COLUMNS + first_column) * 16 + lane % 4 * 2;
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
        pack_##KIND(uint4 *packed, const float *A, int m, int n, int steps)                        \
    { pack<TYPE, PARTS>(packed, A, m, n, steps); }                                                 \
    extern "C" __global__ void __launch_bounds__(256, 1)                                           \
        mmt_##KIND(float *C, const uint4 *packed, int m, int steps)                                \
    { multiply<TYPE, PARTS>(C, packed, m, steps); }

KERNELS(bf16, Bf16, 1)
KERNELS(tf32, Tf32, 1)
KERNELS(bf16_twice, Bf16, 2)
KERNELS(tf32_twice, Tf32, 2)
