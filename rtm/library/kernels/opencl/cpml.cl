// The OpenCL back end of the migration: stencils of order 2 H, CPML, traces, shells, images. Fields
// are padded: rows along z start `lead` values into a pitch of sy values, with at least H zeros
// around the grid on every side; nothing writes there. `base` is where point 0, 0, 0 lies. Sums are
// in the order of the CPU's and never fused. What is stored in a level, psi or zeta is zero if less
// than TINY, as on the CPU, where subnormal numbers take long.
#pragma OPENCL FP_CONTRACT OFF
#ifdef FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

REAL flushed(REAL value) { return fabs(value) < TINY ? 0 : value; }

// Weights: the Laplacian's centre; second differences [axis][distance]; their centres [axis]; first
// differences [axis][distance].
#define SECOND(axis, l) weights[1 + (axis) * H + (l) - 1]
#define SECOND_CENTRE(axis) weights[1 + 3 * H + (axis)]
#define FIRST(axis, l) weights[4 + 3 * H + (axis) * H + (l) - 1]

// next = 2 cur - prev + v lap(cur) over the box of nx * ny * nz points whose first one lies at
// `base`. next may be prev.
kernel void time_step(global REAL *next, const global REAL *prev, const global REAL *cur,
                      const global REAL *v, constant REAL *weights, int nx, int ny, int nz, int sx,
                      int sy, int base)
{
    const int z = get_global_id(0), y = get_global_id(1), x = get_global_id(2);
    if (z >= nz || y >= ny || x >= nx) return;
    const int at = base + x * sx + y * sy + z;
    const REAL c = cur[at];
    REAL lap = weights[0] * c;
#pragma unroll
    for (int l = 1; l <= H; l++) {
        lap += SECOND(0, l) * (cur[at - l * sx] + cur[at + l * sx]);
        lap += SECOND(1, l) * (cur[at - l * sy] + cur[at + l * sy]);
        lap += SECOND(2, l) * (cur[at - l] + cur[at + l]);
    }
    next[at] = flushed((c + c - prev[at]) + v[at] * lap);
}

// psi = a psi + b d(cur)/d(axis) in one layer: a box of bx * by * bz points whose first one lies at
// `base`. s is the axis' stride in the field; ab holds a, then b, for each of the `layers` points
// across the layer; state holds psi, then zeta.
kernel void psi(global REAL *state, const global REAL *cur, constant REAL *weights,
                constant REAL *ab, int axis, int layers, int bx, int by, int bz, int sx, int sy,
                int base, int s)
{
    const int z = get_global_id(0), y = get_global_id(1), x = get_global_id(2);
    if (z >= bz || y >= by || x >= bx) return;
    const int i = (x * by + y) * bz + z, at = base + x * sx + y * sy + z,
              l = axis == 0   ? x
                  : axis == 1 ? y
                              : z;
    REAL d = FIRST(axis, 1) * (cur[at + s] - cur[at - s]);
    for (int k = 2; k <= H; k++) d += FIRST(axis, k) * (cur[at + k * s] - cur[at - k * s]);
    state[i] = flushed(ab[l] * state[i] + ab[layers + l] * d);
}

// zeta = a zeta + b (d2(cur) + d(psi)), then next += v (d(psi) + zeta). bs is the axis' stride in
// the box; psi is 0 beyond the layer.
kernel void zeta(global REAL *next, global REAL *state, const global REAL *cur,
                 const global REAL *v, constant REAL *weights, constant REAL *ab, int axis,
                 int layers, int bx, int by, int bz, int sx, int sy, int base, int s, int bs)
{
    const int z = get_global_id(0), y = get_global_id(1), x = get_global_id(2);
    if (z >= bz || y >= by || x >= bx) return;
    const int i = (x * by + y) * bz + z, at = base + x * sx + y * sy + z,
              l = axis == 0   ? x
                  : axis == 1 ? y
                              : z;
    const int points = bx * by * bz;
    REAL d_psi = 0, even = 0;
    for (int k = 1; k <= H; k++) {
        const REAL plus = l + k < layers ? state[i + k * bs] : 0,
                   minus = l >= k ? state[i - k * bs] : 0;
        const REAL odd_term = FIRST(axis, k) * (plus - minus);
        const REAL even_term = SECOND(axis, k) * (cur[at - k * s] + cur[at + k * s]);
        d_psi = k == 1 ? odd_term : d_psi + odd_term;
        even = k == 1 ? even_term : even + even_term;
    }
    const REAL d2 = SECOND_CENTRE(axis) * cur[at] + even;
    const REAL new_zeta = flushed(ab[l] * state[points + i] + ab[layers + l] * (d2 + d_psi));
    state[points + i] = new_zeta;
    next[at] = flushed(next[at] + v[at] * (d_psi + new_zeta));
}

// The free surface in the plane z = 0, behind the step and its layers: the field is 0 there, and
// beyond it -p(-z), where the step has taken zeros; what that adds to the differences of the first
// points. A work-item owns a column.
kernel void mirror(global REAL *next, const global REAL *cur, const global REAL *v,
                   constant REAL *weights, int nx, int ny, int nz, int sx, int sy, int base) {
    const int y = get_global_id(0), x = get_global_id(1);
    if (y >= ny || x >= nx) return;
    const int at = base + x * sx + y * sy;
    next[at] = 0;
    for (int z = 1; z < H; z++) {
        REAL sum = SECOND(2, z + 1) * cur[at + 1];
        for (int l = z + 2; l <= H; l++) sum += SECOND(2, l) * cur[at + l - z];
        next[at + z] = flushed(next[at + z] - v[at + z] * sum);
    }
}

// Adds the samples of each point's traces: samples[offset + first[i] .. offset + first[i + 1]] to
// field[cells[i]].
kernel void inject(global REAL *field, const global int *cells, const global int *first,
                   const global REAL *samples, int offset, int n)
{
    const int i = get_global_id(0);
    if (i >= n) return;
    REAL value = field[cells[i]];
    for (int k = first[i]; k < first[i + 1]; k++) value += samples[offset + k];
    field[cells[i]] = value;
}

// The other way round.
kernel void record(global REAL *samples, const global int *cells, const global int *first,
                   const global REAL *field, int offset, int n)
{
    const int i = get_global_id(0);
    if (i >= n) return;
    for (int k = first[i]; k < first[i + 1]; k++) samples[offset + k] = field[cells[i]];
}

// store[offset + i] = field[cells[i]].
kernel void gather(global REAL *store, const global REAL *field, const global int *cells,
                   int offset, int n)
{
    const int i = get_global_id(0);
    if (i < n) store[offset + i] = field[cells[i]];
}

// field[cells[i]] = store[offset + i].
kernel void scatter(global REAL *field, const global REAL *store, const global int *cells,
                    int offset, int n)
{
    const int i = get_global_id(0);
    if (i < n) field[cells[i]] = store[offset + i];
}

// sum += a b over the interior, whose first point lies at `base`.
kernel void correlate(global REAL *sum, const global REAL *a, const global REAL *b, int nx, int ny,
                      int nz, int sx, int sy, int base)
{
    const int z = get_global_id(0), y = get_global_id(1), x = get_global_id(2);
    if (z >= nz || y >= ny || x >= nx) return;
    const int at = base + x * sx + y * sy + z;
    sum[(x * ny + y) * nz + z] += a[at] * b[at];
}

#ifdef FP64
// sums[i] = the sum of the squares of every n-th element of a field of `len`, from i on.
kernel void energy(global double *sums, const global REAL *field, int len, int n)
{
    const int i = get_global_id(0);
    if (i >= n) return;
    double sum = 0;
    for (int at = i; at < len; at += n) sum += (double)field[at] * (double)field[at];
    sums[i] = sum;
}
#endif
