//! The last of the three hints for whoever has nothing yet.

/// Key of an exercise, and what is nearly the line.
pub const NEARLY: &[(&str, &str)] = &[
    (
        "e6_1",
        "`if (ix >= s.nx || ..) return;`, `lap = 3 * weight[0] * cur[i]`, then for l = 1 .. H \
         six neighbours, i +- l, i +- l * s.stride, i +- l * s.plane",
    ),
    (
        "e6_2",
        "`__constant__ float weight[H + 1];`, `int iz = blockIdx.x * blockDim.x + \
         threadIdx.x;`, ix from z; the rest as in 6.1",
    ),
    (
        "e6_3",
        "`for (int k = threadIdx.y * BZ + threadIdx.x; k < (BY + 2 * H) * (BZ + 2 * H); k += BZ \
         * BY)`: row k / (BZ + 2 H), column the rest; H before the block's first point on both \
         axes",
    ),
    (
        "e6_4",
        "before the march queue[k] = plane k - 1 - H for k = 1 .. 2 H; in it shift, load plane \
         ix + H, `tile[ix & 1][..] = queue[H]`, its halo, one barrier",
    ),
    (
        "e6_5",
        "`f.side == 0 ? s.layers - 1 - d : d`; dp += slope[l] * (cur[i + l * step] - cur[i - l \
         * step]); a psi beyond 0 <= d + l < s.layers is 0",
    ),
    (
        "e6_6",
        "`int iz = s.layers + blockIdx.x * blockDim.x + threadIdx.x`, out at s.nz - s.layers; \
         the level of history is number nt - 1 - step, `level_words(s)` apart",
    ),
    (
        "e6_7",
        "two faces of H ny nz, two of (nx - 2 H) H nz, two of (nx - 2 H)(ny - 2 H) H: take off \
         what lies before, divide the rest by the face's own lengths, add H where an earlier \
         axis has lost its shell",
    ),
    (
        "e6_8",
        "calls: 2 (nt - 1) and for each n, n % period - 1 where that is positive; fewest: a \
         table over s and n by the formula of the handout; schedule: advance m, store, the \
         later task, back, the earlier task",
    ),
    (
        "e6_9",
        "forward `step_source(k)`, `add_source(k + 1, k)`, `save_shell(k + 1)`; backward for k \
         <= nt - 3 `step_source_back(k)`, `add_source(k, k + 1)`, `load_shell(k)`; level nt - 1 \
         of the receivers needs no step",
    ),
];
