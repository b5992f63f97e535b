//! The last of the three hints for whoever has nothing yet.

/// Key of an exercise, and what is nearly the line.
pub const NEARLY: &[(&str, &str)] = &[
    (
        "e3_1_01",
        "mean = sum / n; variance = sum2 / n - mean^2, not below 0; the estimate is v mean, its \
         uncertainty v sqrt(variance / n); n for u: (v / u)^2 variance, rounded up",
    ),
    (
        "e3_1_02",
        "state i is seed * 48271^(i + 1) modulo 2^31 - 1, the power by repeated squaring; axis \
         k takes the numbers from k n on; `<= 1.0` counts the surface",
    ),
    (
        "e3_1_03",
        "`for (i = first thread's number; i < n; i += gridDim.x * blockDim.x)`; a warp adds by \
         `__shfl_down_sync`, a block in shared memory, then one atomicAdd a block",
    ),
    (
        "e3_1_04",
        "`Generator::new(RngType::PseudoDefault)?`, its seed, `generate_uniform(axis)?` for \
         each axis; kernel: `v[i] = a + (b - a) * v[i]`",
    ),
    (
        "e3_1_05",
        "variance = sum of (value - mean)^2 over p - 1; the exponent is the slope of a straight \
         line through (ln n, ln spread)",
    ),
    (
        "e3_1_06",
        "`RngType::QuasiDefault`, `set_quasi_random_generator_dimensions(3)?`; all of x comes \
         first, then all of y: `buffer.index(..n)`, `index(n..2 * n)`",
    ),
    (
        "e3_1_07",
        "`return (r2 >= 4) * (r2 <= 9) * (fabsf(z) <= 2.5f);` in place of three ifs; `or` of \
         two parts that do not meet is a sum",
    ),
    (
        "e3_1_08",
        "`double f = (u * u + v * v) * inside;` added to sum, `f * f` to sum2, both in double; \
         then as in 3.1.1",
    ),
    (
        "e3_1_09",
        "CPU: `(0..n).into_par_iter().map(..).reduce(|| O::IDENTITY, O::combine)`; kernel: each \
         thread combines its share, then the warp, then the block",
    ),
    (
        "e3_2_01",
        "row of day d: exp(-(d - i) / tau) for i <= d, else 0; A is stored by columns, so \
         column i takes entry i of each of the m rows",
    ),
    (
        "e3_2_02",
        "s = A^T r; the column with the largest |s|; sigma = s / (column . column); r -= sigma \
         * column; until |r| <= eps |y|",
    ),
    (
        "e3_2_03",
        "`sgemv(Op::T, ..)`, `isamax` (it counts from 1), `snrm2` of the column, `get_vector` \
         of one number, `saxpy` with -sigma, `snrm2` of r",
    ),
    (
        "e3_2_04",
        "a block for each column: threads take rows threadIdx.x, + blockDim.x, ..; warps by \
         `__shfl_down_sync`, thread 0 adds the four of them; bytes(shape) > free is refused",
    ),
    (
        "e3_3_01",
        "`s.wrapping_mul(A) & ((1 << 46) - 1)`; a power: square at each bit of the exponent, \
         multiply where the bit is 1; in f64 both factors in halves of 23 bits",
    ),
    (
        "e3_3_02",
        "begin at `seed_at(SEED, kk << (mk + 1))`; x, y = 2 u - 1; t = x^2 + y^2; if t <= 1: f \
         = sqrt(-2 ln t / t), and the ring is the whole part of max(|x f|, |y f|)",
    ),
    (
        "e3_3_03",
        "`if (kk < nn)` around the loop, not around the barriers; 10 atomicAdds a thread; sums: \
         halve the number of threads that add, with a barrier between",
    ),
    (
        "e3_3_04",
        "counts in registers (`#pragma unroll`, `q[l] += l == ring`); a warp adds by \
         `__shfl_down_sync`, lane 0 writes to shared memory, the first warp adds those; one \
         atomicAdd a block",
    ),
    (
        "e3_3_05",
        "`((found - wanted) / wanted).abs() <= 1e-8` for both sums; Mop/s: 2^(m + 1) / seconds \
         / 1e6",
    ),
    (
        "e3_4_01",
        "k = ((i + n / 2) % n) - n / 2 and its square, one of each axis added; ex[i] = ex[i - \
         1] * exp(-4 alpha pi^2); roots: after one zero, for li = 1, 2, 4, .. the li numbers \
         exp(i pi k / li)",
    ),
    (
        "e3_4_02",
        "`double f = ex[t * indexmap[i]];` times both parts of u0[i]; the second form \
         multiplies by tw[i] at each step and stores to u0 and u1",
    ),
    (
        "e3_4_03",
        "stage l of m: lk = 2^(l - 1), li = n / 2^l; p = x[i lk + k], q = x[i lk + n / 2 + k]; \
         y[2 i lk + k] = p + q, y[(2 i + 1) lk + k] = w (p - q) with w = roots[li + i]",
    ),
    (
        "e3_4_04",
        "element e of the copy has its x, y, z by `%` and `/`; it is stored where the line's \
         own axis counts slowest; one thread transforms one line, stride = number of lines",
    ),
    (
        "e3_4_05",
        "j = 1 .. 1024: x = j % nx, y = 3 j % ny, z = 5 j % nz; the block adds in shared \
         memory; `atomicAdd(&sums[2 * t], part[0].x / n)`",
    ),
    (
        "e3_4_06",
        "`std::thread::scope(|s| ..)`, four `s.spawn(|| ..)`, each: the context, a stream, its \
         work, an `Event` recorded; after the joins `lab.stream().wait_event(..)` four times",
    ),
    (
        "e3_4_07",
        "set-up, transform forward; for t = 1 .. niter: evolve, transform back, checksum; \
         verified: each `(found - wanted).norm() <= 1e-12 * wanted.norm()`",
    ),
];
