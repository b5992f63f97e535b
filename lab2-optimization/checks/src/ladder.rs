//! The last of the three hints for whoever has nothing yet.

/// Key of an exercise, and what is nearly the line.
pub const NEARLY: &[(&str, &str)] = &[
    (
        "e2_1_01",
        "sample i has min(i, n) + 1 products: count those of len > n as if all had n + 1, and \
         take off n (n + 1) / 2; a ratio is 2 operations per product over what is loaded and \
         stored",
    ),
    (
        "e2_1_02",
        "kernel: `for k in 0..coeff.len() { if i >= k { acc += yin[i - k] * coeff[k]; } }`; \
         error: a NaN is not `<= worst`, so ask `!(d <= worst)`",
    ),
    (
        "e2_1_03",
        "`reader.spec().channels`, `.sample_rate`; seconds are `reader.duration()` over the \
         rate; refuse in the order of the list in the handout",
    ),
    (
        "e2_1_04",
        "high pass: window times (1 at k = 64, less `2 fc sinc(2 fc (k - 64))`), divided by its \
         gain at half the rate, which is the sum of h[k] with signs in turn; hum: `(TAU * 50 / \
         RATE * k).sin()`",
    ),
    (
        "e2_1_05",
        "`yout.par_chunks_mut(CHUNK).enumerate().for_each(|(c, yout)| ..)` for each channel; \
         the least of the times is kept",
    ),
    (
        "e2_1_06",
        "kernel: `int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < len)`, then 2.1.2's \
         loop; host: `launch!(kernel<<<grid, k, 0, stream>>>(..))` for each channel, with \
         `dev_in.index(len..)` for the second",
    ),
    (
        "e2_1_07",
        "l1 is len rounded up to K; n zeros, l1 samples, n zeros, l1 samples: the left channel \
         begins at n, the right one at n + l1 + n; the kernel loses its `if`",
    ),
    (
        "e2_1_08",
        "`__constant__ float fir_coeff[N + 1]`; host: a table of N + 1 zeros with the \
         coefficients in front, `module.get_global::<[f32; N + \
         1]>(c\"fir_coeff\")?.copy_from(&table)?`",
    ),
    (
        "e2_1_09",
        "thread t loads tile[t], tile[t + blockDim.x], .. of `blockDim.x + N` samples, the \
         first one N before the block's; `__syncthreads()`; then sample i - k is \
         tile[threadIdx.x + N - k]",
    ),
    ("e2_1_10", "`#pragma unroll` before a loop whose end is the macro N; host: refuse `n != N`"),
    (
        "e2_1_11",
        "blocks by registers: registers of a warp, rounded up to the unit; how many warps hold \
         the registers of the multiprocessor (a multiple of 4); over the warps of a block. The \
         least of four limits wins",
    ),
    (
        "e2_1_12",
        "`__local float tile[..]`, `get_local_id(0)`, `get_group_id(0)`, \
         `barrier(CLK_LOCAL_MEM_FENCE)`; the rest is 2.1.9",
    ),
    (
        "e2_1_13",
        "`Program::builder().src(text).cmplr_opt(options)..build(&context)`, \
         `Kernel::builder()..arg(..).queue(..).global_work_size(..)..build()?`, `unsafe { \
         kernel.cmd().enew(&mut event).enq()? }`",
    ),
    (
        "e2_2_01",
        "iAT goes with blockIdx.x, so with the columns of C; host: m / K blocks each way, K x K \
         threads, and an error that names m or n where K does not divide it",
    ),
    (
        "e2_2_02",
        "the bank of a word is its number modulo 32; the threads of a warp store down a column, \
         K + pad words apart: try pad 0, 1, 2, .. until they differ",
    ),
    (
        "e2_2_03",
        "`ATs[tx][ty] = A[iAT + ty * n + tx];`: neighbouring threads read along a row of A, and \
         turn the tile round where they store it",
    ),
    (
        "e2_2_04",
        "`if (blockIdx.x > blockIdx.y) return;` before the first barrier; at the end C[iy * m + \
         ix], and its mirror image C[ix * m + iy] unless the block lies on the diagonal",
    ),
    (
        "e2_2_05",
        "for each K: `pad(k)`, run, `flop / (ms * 1e6)`; a block holds K rows of K words and K \
         rows of K + pad, four bytes each",
    ),
];
