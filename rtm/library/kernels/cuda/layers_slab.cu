// The time step and the absorbing layers in one pass, for the points of the layers: their levels and
// v2 come from memory once. The step itself (stencil_vector.cu) leaves these points out.
//
// A block holds a tile of rows, vectors along z, and marches along the face: along y at an x face,
// along x at the others. Its rows lie across the layer, so that it owns whole lines; at a z face
// they lie along y, and the lines along z. Planes of the field stand in a ring in shared memory, psi
// of this plane and the next one beside it. At each turn, behind one barrier, a thread makes psi of
// its point in the next plane and then, from its neighbours' psi, zeta and the new level in this
// one. What a thread alone needs (psi, zeta, v2, the level before) waits in shared memory, too. All
// of it is asked for AHEAD planes ahead, without a register to wait in (see `fetch`).
//
// An edge belongs to several faces; its terms are added one axis after the other. So what slab_x has
// made there is taken by slab_y as it is, in place of a step of its own, and so on by slab_z.
//
// -D: LAYERS; XY_LANES: vectors of a tile at x and y faces; Z_ROWS, Z_LANES: rows and vectors of a tile
// at z faces, Z_VECTORS of these vectors are of the layer; XY_BLOCKS, Z_BLOCKS: blocks that a
// multiprocessor should hold.
#include "vec.cuh"

#ifndef AHEAD
#define AHEAD 2  // planes between a copy to shared memory and its use
#endif
#define RING (H + AHEAD + 1)  // planes of the field in shared memory: this one and those to come

// `chunk`: planes that a block marches; `z_start`: where the tiles of the bottom face begin.
#define SLAB_PARAMETERS                                                                            \
    REAL *next, const REAL *__restrict__ cur, const REAL *prev, const REAL *__restrict__ v2,       \
        const Shape s, const Weights w, const Layers f, const int chunk, const int z_start

extern __shared__ __align__(16) unsigned char shared_bytes[];

// blockIdx.x counts tiles along z (at a z face along y), blockIdx.y pieces of the march, blockIdx.z
// sides; threads along x only. Shared memory, in vectors: the ring, RING planes of ROWS + 2 H rows
// of LANES + 2 HV; psi of two planes, its rows with H zeros on both sides along the axis; then AHEAD
// times psi, zeta, v2 and the level before of each thread.
template <int AXIS, int ROWS, int LANES>
__device__ __forceinline__ void slab(SLAB_PARAMETERS)
{
    // At a z face eight threads that ask for vectors at the same time have two rows.
    const int L = LAYERS, THREADS = ROWS * LANES,
              PITCH = AXIS == 2 ? (LANES + 2 * HV + 3) / 8 * 8 + 4 : LANES + 2 * HV,
              PLANE = (ROWS + 2 * H) * PITCH, PSI_PITCH = AXIS == 2 ? PITCH : LANES,
              PSI_PLANE = AXIS == 2 ? ROWS * PITCH : (ROWS + 2 * H) * LANES;
    const int side = blockIdx.z, face = 2 * AXIS + side, me = threadIdx.x;
    // Nothing here needs the kernels in front of this one but edges.
    let_next_begin();
    // The pieces at the ends of the march, which have edges, come last.
    const int first = (int)((blockIdx.y + 1) % gridDim.y) * chunk;
    const int planes = min(chunk, (AXIS == 0 ? s.ny : s.nx) - first);
    if (!psi_of<AXIS>(f, face) || planes <= 0)
        return wait_for_front();

    // The thread's place in the tile. At a z face the first threads have the layer's vectors, so
    // that whole warps do.
    int row = me / LANES, lane = me % LANES, shift = 0, l = row;
    bool of_layer = true;
    int row0 = AXIS == 2 ? blockIdx.x * ROWS : side * ((AXIS == 0 ? s.nx : s.ny) - L);
    int z0 = AXIS < 2 ? blockIdx.x * LANES * VEC : side * z_start;
    if (AXIS == 2) {
        shift = side ? f.shift : 0;
        const int start = side ? (s.nz - L - shift - z0) / VEC : 0, others = LANES - Z_VECTORS;
        of_layer = others == 0 || me < Z_VECTORS * ROWS;
        const int of_others = me - Z_VECTORS * ROWS, other = of_others % max(others, 1);
        row = of_layer ? me / Z_VECTORS : of_others / max(others, 1);
        lane = of_layer ? start + me % Z_VECTORS : other + (other < start ? 0 : Z_VECTORS);
        l = z0 + lane * VEC - (side ? s.nz - L : 0);
    }
    const int z = z0 + lane * VEC, last_vec = s.stride - VEC, iz = min(z, last_vec);
    const int rows = AXIS == 0 ? s.nx : s.ny;  // of the grid, in the tile's direction
    const long long down = AXIS == 0 ? s.plane : s.stride;
    const int along = AXIS == 0 ? s.stride : s.plane;
    const long long corner = AXIS == 0 ? at(s, 0, first, 0) : at(s, first, 0, 0);
    const int ix = AXIS == 0 ? row0 + row : first, iy = AXIS == 0 ? first : row0 + row;
    const bool mine = z < s.nz && iy < s.ny;

    // Which planes of the march are another face's, too, whose launch has been before.
    const int edge_end = AXIS > 0 && f.psi[0] ? L : 0,
              edge_start = AXIS > 0 && f.psi[1] ? s.nx - L : s.nx + s.ny;
    const bool all_edge =
        AXIS == 2 && ((f.psi[2] && iy < L) || (f.psi[3] && iy >= s.ny - L));
    const bool tile_edge =
        AXIS == 2 && ((f.psi[2] && row0 < L) || (f.psi[3] && row0 + ROWS > s.ny - L));
    if (first < edge_end || first + planes > edge_start || tile_edge)
        wait_for_front();

    // Where this thread's numbers are: in the plane that is computed, and in the newest one.
    long long i = corner + min(row0 + row, rows - 1) * down + iz;
    const REAL *newest = cur + i;
    REAL *psi = psi_of<AXIS>(f, face) + psi_index<AXIS>(s, f, shift, l, ix, iy, iz);
    REAL *zeta = zeta_of<AXIS>(f, face) + zeta_index<AXIS>(s, f, shift, l, ix, iy, iz);
    const int psi_along = AXIS == 0 ? s.stride : AXIS == 1 ? (L + 2 * H) * s.stride : s.ny * f.z_psi;
    const int zeta_along = AXIS == 0 ? s.stride : AXIS == 1 ? L * s.stride : s.ny * f.z_zeta;
    Vec a, b;
    const REAL *profile = f.profile + 2 * face * f.length + shift + l;
#pragma unroll
    for (int c = 0; c < VEC; ++c) {
        a.v[c] = of_layer ? profile[AXIS == 2 ? c : 0] : 0;
        b.v[c] = of_layer ? profile[f.length + (AXIS == 2 ? c : 0)] : 0;
    }
    Vec *const ring = (Vec *)shared_bytes + (row + H) * PITCH + HV + lane;
    Vec *const new_psi = (Vec *)shared_bytes + RING * PLANE +
                         (AXIS == 2 ? row * PITCH + HV : (row + H) * LANES) + lane;
    Vec *const own = (Vec *)shared_bytes + RING * PLANE + 2 * PSI_PLANE + me;
    const int OF_ROWS = 2 * H * LANES, HALO = OF_ROWS + ROWS * 2 * HV,
              HALOS = (HALO + THREADS - 1) / THREADS;
    long long halo_from[HALOS];
    int halo_to[HALOS];
    bool halo_wanted[HALOS];
#pragma unroll
    for (int k = 0; k < HALOS; ++k) {
        const int h = me + k * THREADS, c = h - OF_ROWS;
        int halo_row = h / LANES, halo_lane = h % LANES;
        halo_row += halo_row < H ? -H : ROWS - H;
        if (c >= 0) {
            halo_row = c / (2 * HV);
            halo_lane = c % (2 * HV) < HV ? c % (2 * HV) - HV : c % (2 * HV) - HV + LANES;
        }
        const int of_row = row0 + halo_row, of_lane = z0 + halo_lane * VEC;
        halo_from[k] = corner + of_row * down + of_lane - i;
        halo_to[k] = (halo_row - row) * PITCH + halo_lane - lane;
        halo_wanted[k] =
            h < HALO && of_row >= 0 && of_row < rows && of_lane >= 0 && of_lane < s.nz;
    }
    // Beyond the grid there are zeros, which nobody needs to fetch.
    for (int plane = 0; plane < RING; ++plane) {
        if (!mine)
            ring[plane * PLANE] = zeros();
#pragma unroll
        for (int k = 0; k < HALOS; ++k)
            if (me + k * THREADS < HALO && !halo_wanted[k])
                ring[plane * PLANE + halo_to[k]] = zeros();
    }
    for (int k = me; k < 2 * PSI_PLANE; k += THREADS)
        ((Vec *)shared_bytes)[RING * PLANE + k] = zeros();

    // Asks for this thread's share of the next plane of the field, the n-th: behind the last plane
    // that is computed nobody needs a halo, and at last nothing.
    auto bring = [&](int to, int n) {
        fetch_if(n < planes + H && mine, ring + to, newest);
#pragma unroll
        for (int k = 0; k < HALOS; ++k)
            fetch_if(n < planes && halo_wanted[k], ring + to + halo_to[k], newest + halo_from[k]);
        newest += along;
    };
    // And for its own numbers `ahead` planes from now, psi of the one behind.
    auto bring_own = [&](int n, int ahead) {
        const int m = n + ahead;
        const bool wanted = mine && m < planes;
        const bool edge = all_edge || first + m < edge_end || first + m >= edge_start;
        const long long at_own = i + (long long)ahead * along;
        Vec *to = own + m % AHEAD * 4 * THREADS;
        fetch_if(wanted && of_layer && m + 1 < planes, to, psi + (long long)ahead * psi_along);
        fetch_if(wanted && of_layer, to + THREADS, zeta + (long long)ahead * zeta_along);
        fetch_if(wanted, to + 2 * THREADS, v2 + at_own);
        fetch_if(wanted, to + 3 * THREADS, (edge ? next : prev) + at_own);
    };
    // psi of a plane from the field there, in the ring, and its own old value.
    auto make_psi = [&](const Vec *here, Vec p, int n) {
        Vec odd;
        if (AXIS == 2) {
            REAL window[(2 * HV + 1) * VEC];
            window_of(window, here);
#pragma unroll
            for (int c = 0; c < VEC; ++c)
                odd.v[c] = odd_window(w.first[2], window, c);
        } else {
#pragma unroll
            for (int k = 1; k <= H; ++k) {
                const Vec minus = here[-k * PITCH], plus = here[k * PITCH];
#pragma unroll
                for (int c = 0; c < VEC; ++c) {
                    const REAL term = w.first[AXIS][k - 1] * (plus.v[c] - minus.v[c]);
                    odd.v[c] = k == 1 ? term : odd.v[c] + term;
                }
            }
        }
#pragma unroll
        for (int c = 0; c < VEC; ++c)
            p.v[c] = flushed(a.v[c] * p.v[c] + b.v[c] * odd.v[c]);
        new_psi[(n & 1) * PSI_PLANE] = p;
        if (mine && n < planes)
            store(psi, p);
        psi += psi_along;
    };
    auto after = [](int of_ring) {
        return of_ring == (RING - 1) * PLANE ? 0 : of_ring + PLANE;
    };

    Vec queue[2 * H + 1];
#pragma unroll
    for (int k = 0; k < 2 * H; ++k)
        queue[k + 1] = load(newest + (long long)(k - H) * along);
#pragma unroll 1
    for (int n = 0; n < H; ++n)
        bring(n * PLANE, n);
    end_of_group();
    Vec before = zeros();
    if (mine && of_layer)
        before = load(psi);
    psi += psi_along;  // of the plane behind
#pragma unroll
    for (int n = 0; n < AHEAD; ++n) {
        bring((H + n) * PLANE, H + n);
        bring_own(0, n);
        end_of_group();
    }
    psi -= psi_along;
    arrived<AHEAD>();
    __syncthreads();
    if (of_layer)
        make_psi(ring, before, 0);
    int now = 0, last = H * PLANE, filling = (RING - 1) * PLANE;
#pragma unroll 1
    for (int n = 0; n < planes; ++n) {
        arrived<AHEAD - 1>();
        __syncthreads();
        const Vec *slot = own + n % AHEAD * 4 * THREADS;
        const Vec old_psi = slot[0], old_zeta = slot[THREADS], square = slot[2 * THREADS],
                  old = slot[3 * THREADS];
#pragma unroll
        for (int k = 0; k < 2 * H; ++k)
            queue[k] = queue[k + 1];
        queue[2 * H] = ring[last];
        bring(filling, n + H + AHEAD);
        bring_own(n, AHEAD);
        end_of_group();
        const Vec *here = ring + now;
        now = after(now), last = after(last), filling = after(filling);

        const bool edge = all_edge || first + n < edge_end || first + n >= edge_start;
        const Vec centre = queue[H];
        REAL window[(2 * HV + 1) * VEC];
        window_of(window, here);
        Vec lap, even;
#pragma unroll
        for (int c = 0; c < VEC; ++c)
            lap.v[c] = w.centre * centre.v[c];
#pragma unroll
        for (int k = 1; k <= H; ++k) {
            const Vec minus = here[-k * PITCH], plus = here[k * PITCH];
            const Vec behind = queue[H - k], ahead = queue[H + k];
#pragma unroll
            for (int c = 0; c < VEC; ++c) {
                const REAL x = AXIS == 0 ? PAIR(w.second[0][k - 1], minus.v[c], plus.v[c])
                                         : PAIR(w.second[0][k - 1], behind.v[c], ahead.v[c]);
                const REAL y = AXIS == 0 ? PAIR(w.second[1][k - 1], behind.v[c], ahead.v[c])
                                         : PAIR(w.second[1][k - 1], minus.v[c], plus.v[c]);
                const REAL z = PAIR(w.second[2][k - 1], window[HV * VEC + c - k],
                                    window[HV * VEC + c + k]);
                lap.v[c] = lap.v[c] + x + y + z;
                const REAL across = AXIS == 0 ? x : AXIS == 1 ? y : z;
                even.v[c] = k == 1 ? across : even.v[c] + across;
            }
        }
        Vec result;
#pragma unroll
        for (int c = 0; c < VEC; ++c) {
            result.v[c] =
                flushed((centre.v[c] + centre.v[c] - old.v[c]) + square.v[c] * lap.v[c]);
            if (edge)
                result.v[c] = old.v[c];
        }
        if (of_layer) {
            const Vec *psi_here = new_psi + (n & 1) * PSI_PLANE;
            Vec d_psi, new_zeta;
            if (AXIS == 2) {
                window_of(window, psi_here);
#pragma unroll
                for (int c = 0; c < VEC; ++c)
                    d_psi.v[c] = odd_window(w.first[2], window, c);
            } else {
#pragma unroll
                for (int k = 1; k <= H; ++k) {
                    const Vec minus = psi_here[-k * PSI_PITCH], plus = psi_here[k * PSI_PITCH];
#pragma unroll
                    for (int c = 0; c < VEC; ++c) {
                        const REAL term = w.first[AXIS][k - 1] * (plus.v[c] - minus.v[c]);
                        d_psi.v[c] = k == 1 ? term : d_psi.v[c] + term;
                    }
                }
            }
#pragma unroll
            for (int c = 0; c < VEC; ++c) {
                const REAL d2 = w.second_centre[AXIS] * centre.v[c] + even.v[c];
                new_zeta.v[c] = flushed(a.v[c] * old_zeta.v[c] + b.v[c] * (d2 + d_psi.v[c]));
                // A vector may reach into the layer with some of its points only; the others get
                // nothing.
                if (AXIS < 2 || (l + c >= 0 && l + c < L))
                    result.v[c] = flushed(result.v[c] + square.v[c] * (d_psi.v[c] + new_zeta.v[c]));
            }
            if (mine)
                store(zeta, new_zeta);
            zeta += zeta_along;
        }
        if (mine && (of_layer || !edge)) {
#if SURFACE
            // Where another face's launch comes behind, it is left to that.
            const int of_march = first + n;
            const bool later = AXIS == 0 && ((of_march < L && s.surface & 8) ||
                                             (of_march >= s.ny - L && s.surface & 16));
            if (AXIS < 2 && s.surface & 1 && iz < H && !later)
                mirror_vec(result, square, cur + i - iz, iz, w);
#endif
            store(next + i, result);
        }
        i += along;
        if (of_layer)
            make_psi(ring + now, old_psi, n + 1);
    }
    wait_for_front();
}

extern "C" __global__ void __launch_bounds__(LAYERS *XY_LANES, XY_BLOCKS) slab_x(SLAB_PARAMETERS)
{ slab<0, LAYERS, XY_LANES>(next, cur, prev, v2, s, w, f, chunk, z_start); }
extern "C" __global__ void __launch_bounds__(LAYERS *XY_LANES, XY_BLOCKS) slab_y(SLAB_PARAMETERS)
{ slab<1, LAYERS, XY_LANES>(next, cur, prev, v2, s, w, f, chunk, z_start); }
extern "C" __global__ void __launch_bounds__(Z_ROWS *Z_LANES, Z_BLOCKS) slab_z(SLAB_PARAMETERS)
{ slab<2, Z_ROWS, Z_LANES>(next, cur, prev, v2, s, w, f, chunk, z_start); }
