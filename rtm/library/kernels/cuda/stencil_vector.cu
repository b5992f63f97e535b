// The fast step: a thread computes VEC neighbouring points along z (16 bytes) and marches along x.
// Its 2 H + 1 planes stand in a queue of registers; neighbours along y and z come from a tile in
// shared memory (TILE 1) or through the first-level cache (TILE 0). What a plane needs beside the
// queue is asked for two planes ahead and arrives in shared memory, without a register to wait in.
// With ABSORB 1 zeta of the layers is updated and applied in the same pass, while the values of the
// point are at hand; psi must be new already (`psi_all`). With PAIR_OF_STEPS 1 the file is the
// kernel that does two steps at once, else the one that does one.
//
// -D: VEC = 16 / sizeof(REAL); BZ, BY: threads of a block along z and y; MIN_BLOCKS: blocks that a
// multiprocessor should hold. box.z0 must be a multiple of VEC. Points up to the next whole vector
// are computed, too: v2 is 0 there, so they stay 0. Shared memory: three of `Part`.
#include "image.cuh"

#ifndef BZ
#define BZ 32
#endif
#ifndef BY
#define BY 8
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1
#endif
#ifndef TILE
#define TILE 1
#endif
#ifndef ABSORB
#define ABSORB 0
#endif
#ifndef PAIR_OF_STEPS
#define PAIR_OF_STEPS 0
#endif
#ifndef UNROLL  // planes in a row without moving the queue
#define UNROLL 1
#endif
#define HALO_ROWS ((2 * H + BY - 1) / BY)  // vectors of the halo along y that a thread loads
#define HALO_COLUMNS ((2 * HV + BZ - 1) / BZ)  // and of the halo along z

extern __shared__ __align__(16) unsigned char shared_bytes[];

// What a block has of a plane in shared memory.
struct Part {
#if TILE
    Vec tile[BY + 2 * H][BZ + 2 * HV];  // the field, with the halo along y and z
#endif
    Vec old[BY][BZ], v2[BY][BZ];  // each thread's own
};

// zeta of one vector, a and b alike for all of it; adds the layer's terms to `next`.
__device__ __forceinline__ void zeta_vec(Vec &next, const Vec &v2, REAL *zeta, REAL a, REAL b,
                                         const Vec &centre, REAL second_centre, const Vec &even,
                                         const Vec &d_psi)
{
    Vec z = load(zeta);
#pragma unroll
    for (int c = 0; c < VEC; ++c) {
        const REAL d2 = second_centre * centre.v[c] + even.v[c];
        z.v[c] = flushed(a * z.v[c] + b * (d2 + d_psi.v[c]));
        next.v[c] = flushed(next.v[c] + v2.v[c] * (d_psi.v[c] + z.v[c]));
    }
    store(zeta, z);
}

// While the kernels in front still run: asks for what `march` needs first to be in the second-level
// cache by then. Nobody waits for it, and it is no matter whether it changes there.
__device__ __forceinline__ void ask_early(const REAL *cur, const REAL *prev, const REAL *v2,
                                          const Shape &s, const Box &box, int z0, int y0,
                                          int first)
{
#if EARLY
    const int iz = z0 + threadIdx.x * VEC, iy = y0 + threadIdx.y;
    if (iz >= box.z1 || iy >= box.y1)
        return;
    const long long i = at(s, first, iy, iz);
    auto ask_for = [&](const REAL *level, int plane) {
        asm volatile("prefetch.global.L2 [%0];" ::"l"(level + i + (long long)plane * s.plane));
    };
#pragma unroll
    for (int l = 0; l < 2; ++l) {
        ask_for(v2, l);
        ask_for(prev, l);
    }
#pragma unroll
    for (int l = -H; l <= H; ++l)
        ask_for(cur, l);
#endif
}

// A step's points of a block: of `box`, BZ vectors along z from z0 on, BY rows from y0 on, planes
// `first` to `end`.
__device__ __forceinline__ void march(REAL *next, const REAL *__restrict__ cur, const REAL *prev,
                                      const REAL *__restrict__ v2, const Shape &s, const Box &box,
                                      const Weights &w, int surface, int z0, int y0, int first,
                                      int end
#if ABSORB
                                      , const Layers &f
#endif
)
{
    Part *parts = (Part *)shared_bytes;
    const int tz = threadIdx.x, ty = threadIdx.y;
    const int iz = z0 + tz * VEC, iy = y0 + ty;
    const bool mine = iy >= box.y0 && iy < box.y1 && iz >= box.z0 && iz < box.z1;
    long long i = at(s, first, mine ? iy : box.y0, mine ? iz : box.z0);  // of threads in the box
    // Threads beyond the box load what their neighbours need, as far as there is memory.
    const int last_row = s.ny + H - 1, last_vec = s.stride - VEC;
#if TILE
    const REAL *at_rows[HALO_ROWS];
    int tile_rows[HALO_ROWS];
#pragma unroll
    for (int r = 0; r < HALO_ROWS; ++r) {
        const int row = ty + r * BY;
        tile_rows[r] = row < H ? row : BY + row;
        at_rows[r] = cur + at(s, first, min(y0 - H + tile_rows[r], last_row), min(iz, last_vec));
    }
    const REAL *at_columns[HALO_COLUMNS];
    int tile_columns[HALO_COLUMNS];
#pragma unroll
    for (int c = 0; c < HALO_COLUMNS; ++c) {
        const int column = tz + c * BZ;
        tile_columns[c] = column < HV ? column : BZ + column;
        at_columns[c] =
            cur + at(s, first, min(iy, last_row), min(z0 + (tile_columns[c] - HV) * VEC, last_vec));
    }
#endif
    const REAL *at_old = prev + i, *at_v2 = v2 + i;
    // Asks for the next plane, if there is one.
    auto ask = [&](Part &part, bool is_there) {
        if (is_there) {
#if TILE
#pragma unroll
            for (int r = 0; r < HALO_ROWS; ++r) {
                if (ty + r * BY < 2 * H)
                    fetch(&part.tile[tile_rows[r]][tz + HV], at_rows[r]);
                at_rows[r] += s.plane;
            }
#pragma unroll
            for (int c = 0; c < HALO_COLUMNS; ++c) {
                if (tz + c * BZ < 2 * HV)
                    fetch(&part.tile[ty + H][tile_columns[c]], at_columns[c]);
                at_columns[c] += s.plane;
            }
#endif
            if (mine) {
                fetch(&part.old[ty][tz], at_old);
                fetch(&part.v2[ty][tz], at_v2);
            }
            at_old += s.plane;
            at_v2 += s.plane;
        }
        end_of_group();
    };
    ask(parts[0], true);
    ask(parts[1], first + 1 < end);
    const REAL *at_queue = cur + at(s, first - H, min(iy, last_row), min(iz, last_vec));
    Vec queue[2 * H + 1];
#pragma unroll
    for (int l = 0; l < 2 * H; ++l)
        queue[l + 1] = load(at_queue + (long long)l * s.plane);
    at_queue += 2ll * H * s.plane;
    Vec arriving = load(at_queue);
#if !TILE
    const REAL *here = cur + i;
#endif
    int turn = 0;
#pragma unroll UNROLL
    for (int ix = first; ix < end; ++ix, i += s.plane, turn = turn == 2 ? 0 : turn + 1) {
#pragma unroll
        for (int l = 0; l < 2 * H; ++l)
            queue[l] = queue[l + 1];
        queue[2 * H] = arriving;
        // Ask for the next plane before anybody waits.
        if (ix + 1 < end) {
            at_queue += s.plane;
            arriving = load(at_queue);
        }
        Part &part = parts[turn];
#if TILE
        part.tile[ty + H][tz + HV] = queue[H];
#endif
        arrived<1>();
#if TILE
        __syncthreads();
#endif
        // The part that nobody reads any more: all threads are through with the plane before.
        ask(parts[turn == 0 ? 2 : turn - 1], ix + 2 < end);
        if (!mine)
            continue;
        const Vec old = part.old[ty][tz], v = part.v2[ty][tz];
        const Vec centre = queue[H];
        REAL window[(2 * HV + 1) * VEC];
#pragma unroll
        for (int n = 0; n <= 2 * HV; ++n) {
#if TILE
            const Vec vector = n == HV ? centre : part.tile[ty + H][tz + n];
#else
            const Vec vector = n == HV ? centre : load(here + (n - HV) * VEC);
#endif
#pragma unroll
            for (int c = 0; c < VEC; ++c)
                window[n * VEC + c] = vector.v[c];
        }
        Vec lap;
#pragma unroll
        for (int c = 0; c < VEC; ++c)
            lap.v[c] = w.centre * centre.v[c];
#pragma unroll
        for (int l = 1; l <= H; ++l) {
            add_even(lap, w.second[0][l - 1], queue[H - l], queue[H + l]);
#if TILE
            add_even(lap, w.second[1][l - 1], part.tile[ty + H - l][tz + HV],
                     part.tile[ty + H + l][tz + HV]);
#else
            add_even(lap, w.second[1][l - 1], load(here - l * s.stride), load(here + l * s.stride));
#endif
#pragma unroll
            for (int c = 0; c < VEC; ++c)
                lap.v[c] +=
                    PAIR(w.second[2][l - 1], window[HV * VEC + c - l], window[HV * VEC + c + l]);
        }
        Vec result;
#pragma unroll
        for (int c = 0; c < VEC; ++c)
            result.v[c] = flushed((centre.v[c] + centre.v[c] - old.v[c]) + v.v[c] * lap.v[c]);
#if ABSORB
        const int L = s.layers;
        if (ix < L || ix >= s.nx - L) {
            const int face = ix < L ? 0 : 1, l = ix < L ? ix : ix - (s.nx - L);
            const REAL *const psi = psi_of<0>(f, face);
            if (psi) {
                const REAL *a = f.profile + 2 * face * f.length;
                const Vec d_psi = odd_vec(
                    w.first[0], psi + psi_index<0>(s, f, 0, l, ix, iy, iz), psi_step<0>(s));
                Vec even;
#pragma unroll
                for (int c = 0; c < VEC; ++c)
                    even.v[c] = w.second[0][0] * (queue[H - 1].v[c] + queue[H + 1].v[c]);
#pragma unroll
                for (int k = 2; k <= H; ++k)
                    add_even(even, w.second[0][k - 1], queue[H - k], queue[H + k]);
                REAL *zeta = zeta_of<0>(f, face) + zeta_index<0>(s, f, 0, l, ix, iy, iz);
                zeta_vec(result, v, zeta, a[l], a[f.length + l], centre, w.second_centre[0], even,
                         d_psi);
            }
        }
        if (iy < L || iy >= s.ny - L) {
            const int face = iy < L ? 2 : 3, l = iy < L ? iy : iy - (s.ny - L);
            const REAL *const psi = psi_of<1>(f, face);
            if (psi) {
                const REAL *a = f.profile + 2 * face * f.length;
                const Vec d_psi = odd_vec(
                    w.first[1], psi + psi_index<1>(s, f, 0, l, ix, iy, iz), psi_step<1>(s));
                Vec even;
#pragma unroll
                for (int k = 1; k <= H; ++k) {
#if TILE
                    const Vec minus = part.tile[ty + H - k][tz + HV];
                    const Vec plus = part.tile[ty + H + k][tz + HV];
#else
                    const Vec minus = load(here - k * s.stride), plus = load(here + k * s.stride);
#endif
#pragma unroll
                    for (int c = 0; c < VEC; ++c) {
                        const REAL term = w.second[1][k - 1] * (minus.v[c] + plus.v[c]);
                        even.v[c] = k == 1 ? term : even.v[c] + term;
                    }
                }
                REAL *zeta = zeta_of<1>(f, face) + zeta_index<1>(s, f, 0, l, ix, iy, iz);
                zeta_vec(result, v, zeta, a[l], a[f.length + l], centre, w.second_centre[1], even,
                         d_psi);
            }
        }
        // A vector may reach into the layer with some of its points only: the profile is 0 at the
        // others, and they get nothing.
        if (iz < L || iz + VEC > s.nz - L) {
            const int face = iz < L ? 4 : 5, shift = iz < L ? 0 : f.shift;
            const int from = iz < L ? 0 : s.nz - L, l = iz - from;
            if (psi_of<2>(f, face)) {
                const REAL *a = f.profile + 2 * face * f.length + shift + l;
                const REAL *psi = psi_of<2>(f, face) + psi_index<2>(s, f, shift, l, ix, iy, iz);
                REAL psi_window[(2 * HV + 1) * VEC];
#pragma unroll
                for (int n = 0; n <= 2 * HV; ++n) {
                    const Vec part = load(psi + (n - HV) * VEC);
#pragma unroll
                    for (int c = 0; c < VEC; ++c)
                        psi_window[n * VEC + c] = part.v[c];
                }
                REAL *zeta = zeta_of<2>(f, face) + zeta_index<2>(s, f, shift, l, ix, iy, iz);
                Vec z = load(zeta);
#pragma unroll
                for (int c = 0; c < VEC; ++c) {
                    const REAL d_psi = odd_window(w.first[2], psi_window, c);
                    REAL even =
                        PAIR(w.second[2][0], window[HV * VEC + c - 1], window[HV * VEC + c + 1]);
#pragma unroll
                    for (int k = 2; k <= H; ++k)
                        even += PAIR(w.second[2][k - 1], window[HV * VEC + c - k],
                                     window[HV * VEC + c + k]);
                    const REAL d2 = w.second_centre[2] * centre.v[c] + even;
                    z.v[c] = flushed(a[c] * z.v[c] + a[f.length + c] * (d2 + d_psi));
                    if (l + c >= 0 && l + c < L)
                        result.v[c] = flushed(result.v[c] + v.v[c] * (d_psi + z.v[c]));
                }
                store(zeta, z);
            }
        }
#endif
#if SURFACE
        const bool later =
            (ix < s.layers && surface & 2) || (ix >= s.nx - s.layers && surface & 4) ||
            (iy < s.layers && surface & 8) || (iy >= s.ny - s.layers && surface & 16);
        if (surface & 1 && iz < H && !later) {
#pragma unroll
            for (int z = 0; z < H; z += VEC)  // so that indices into the window are known
                if (iz == z)
                    mirror_vec(result, v, window + HV * VEC - z, z, w);
        }
#endif
        store_away(next + i, result);
#if !TILE
        here += s.plane;
#endif
    }
}

#if !PAIR_OF_STEPS
extern "C" __global__ void __launch_bounds__(BZ *BY, MIN_BLOCKS)
    stencil_vector(STEP_PARAMETERS
#if ABSORB
                   , const Layers f
#endif
    )
{
    const int z0 = box.z0 + blockIdx.x * BZ * VEC, y0 = box.y0 + blockIdx.y * BY,
              first = box.x0 + blockIdx.z * chunk;
    // Small grids have short pieces, and lie in the cache anyway.
    if (chunk > 4 * H)
        ask_early(cur, prev, v2, s, box, z0, y0, first);
    follow();
    march(next, cur, prev, v2, s, box, w, s.surface, z0, y0, first, min(first + chunk, box.x1)
#if ABSORB
          , f
#endif
    );
}

#else
__device__ __forceinline__ Box choose(bool first, const Box &a, const Box &b)
{
    return {first ? a.x0 : b.x0, first ? a.x1 : b.x1, first ? a.y0 : b.y0,
            first ? a.y1 : b.y1, first ? a.z0 : b.z0, first ? a.z1 : b.z1};
}

// Steps of two fields, a and b, and the image of levels from which they are made, in one launch:
// of the previous ones (images 1), or of those and the current ones (2). A block does one of the
// three for its part of the grid. The blocks of a part follow one another: what the first of them
// reads is in the second-level cache when the others do. No `next` is a `prev`.
extern "C" __global__ void __launch_bounds__(BZ *BY, MIN_BLOCKS)
    stencil_pair(REAL *next_a, const REAL *__restrict__ cur_a, const REAL *__restrict__ prev_a,
                 const REAL *__restrict__ v2_a, REAL *next_b, const REAL *__restrict__ cur_b,
                 const REAL *__restrict__ prev_b, const REAL *__restrict__ v2_b, REAL *correlation,
                 REAL *source_energy, REAL *receiver_energy, const Shape s, const Pair pair,
                 const Weights w)
{
    follow();
    const int roles = pair.images ? 3 : 2, role = blockIdx.x % roles;
    const bool a = role == 0;
    const Box box = role == 2 ? pair.image : choose(a, pair.a, pair.b);
    // Each from the line of 128 bytes of its own first points on.
    const int line = 128 / (int)sizeof(REAL);
    const int z0 = box.z0 / line * line + blockIdx.x / roles * BZ * VEC,
              y0 = pair.tiles.y0 + blockIdx.y * BY, x0 = pair.tiles.x0 + blockIdx.z * pair.chunk;
    const int first = max(x0, box.x0), end = min(x0 + pair.chunk, box.x1);
    if (first >= end || y0 >= box.y1 || y0 + BY <= box.y0 || z0 >= box.z1)
        return;
    if (role < 2) {
        march(a ? next_a : next_b, a ? cur_a : cur_b, a ? prev_a : prev_b, a ? v2_a : v2_b, s, box,
              w, a ? pair.surface_a : pair.surface_b, z0, y0, first, end);
        return;
    }
    const int iz = z0 + threadIdx.x * VEC, iy = y0 + threadIdx.y;
    if (iy < box.y0 || iy >= box.y1 || iz < box.z0 || iz >= box.z1)
        return;
    const bool both = pair.images == 2;
    long long i = at(s, first, iy, iz);
#pragma unroll 2
    for (int ix = first; ix < end; ++ix, i += s.plane)
        image_vec(correlation, source_energy, receiver_energy, prev_a, prev_b,
                  both ? cur_a : 0, both ? cur_b : 0, i);
}
#endif

#if ABSORB
// psi of all faces in one launch of one dimension: first both x faces (rows of 2 L ny), then both y
// faces (2 nx L), then both z faces (2 nx ny), a vector for each thread.
extern "C" __global__ void psi_all(const REAL *__restrict__ cur, const Shape s, const Weights w,
                                   const Layers f)
{
    const int L = s.layers, vectors = (s.nz + VEC - 1) / VEC, z_vectors = f.z_zeta / VEC;
    const int of_x = 2 * L * s.ny * vectors, of_y = 2 * s.nx * L * vectors,
              of_z = 2 * s.nx * s.ny * z_vectors;
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < of_x + of_y) {
        const bool x = n < of_x;
        n -= x ? 0 : of_x;
        int row = n / vectors;
        const int iz = (n - row * vectors) * VEC;
        const int per_face = x ? L * s.ny : s.nx * L;
        const int max_side = row >= per_face;
        row -= max_side ? per_face : 0;
        const int face = (x ? 0 : 2) + max_side, l = x ? row / s.ny : row % L;
        REAL *const of_face = x ? psi_of<0>(f, face) : psi_of<1>(f, face);
        if (!of_face)
            return;
        const int ix = x ? l + (max_side ? s.nx - L : 0) : row / L;
        const int iy = x ? row - l * s.ny : l + (max_side ? s.ny - L : 0);
        REAL *psi = of_face + (x ? psi_index<0>(s, f, 0, l, ix, iy, iz)
                                 : psi_index<1>(s, f, 0, l, ix, iy, iz));
        const REAL *a = f.profile + 2 * face * f.length;
        const Vec d =
            odd_vec(x ? w.first[0] : w.first[1], cur + at(s, ix, iy, iz), x ? s.plane : s.stride);
        const REAL al = a[l], bl = a[f.length + l];
        Vec p = load(psi);
#pragma unroll
        for (int c = 0; c < VEC; ++c)
            p.v[c] = flushed(al * p.v[c] + bl * d.v[c]);
        store(psi, p);
        return;
    }
    n -= of_x + of_y;
    if (n >= of_z)
        return;
    int row = n / z_vectors;
    const int from = (n - row * z_vectors) * VEC;
    const int max_side = row >= s.nx * s.ny;
    row -= max_side ? s.nx * s.ny : 0;
    const int face = 4 + max_side, shift = max_side ? f.shift : 0, l = from - shift;
    if (!psi_of<2>(f, face) || l >= L)
        return;
    const int ix = row / s.ny, iy = row - ix * s.ny, iz = l + (max_side ? s.nz - L : 0);
    const REAL *here = cur + at(s, ix, iy, iz);
    REAL window[(2 * HV + 1) * VEC];
#pragma unroll
    for (int k = 0; k <= 2 * HV; ++k) {
        const Vec part = load(here + (k - HV) * VEC);
#pragma unroll
        for (int c = 0; c < VEC; ++c)
            window[k * VEC + c] = part.v[c];
    }
    REAL *psi = psi_of<2>(f, face) + psi_index<2>(s, f, shift, l, ix, iy, iz);
    const REAL *a = f.profile + 2 * face * f.length + from;
    Vec p = load(psi);
#pragma unroll
    for (int c = 0; c < VEC; ++c)
        p.v[c] = flushed(a[c] * p.v[c] + a[f.length + c] * odd_window(w.first[2], window, c));
    store(psi, p);
}
#endif
