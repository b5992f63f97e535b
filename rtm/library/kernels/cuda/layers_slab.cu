// The time step and the absorbing layers in one pass, for the points of the layers: their levels
// and v2 come from memory once. The step itself (stencil_vector.cu) leaves these points out.
//
// A block holds a tile of rows, vectors along z, and marches along the face: along y at an x face,
// along x at the others. Its rows lie across the layer, so that it owns whole lines; at a z face
// they lie along y, and the lines along z. Planes of the field stand in a ring in shared memory,
// psi of this plane and the next one beside it. At each turn, behind one barrier, a thread makes
// zeta and the new level of its point in this plane, from its neighbours' psi, and then psi of its
// point in the next one. What a thread alone needs (psi, zeta, v2, the level before) waits in
// shared memory, too. All of it is asked for AHEAD planes ahead, without a register to wait in (see
// `fetch`).
//
// An edge belongs to several faces; its terms are added one axis after the other. So what slab_x
// has made there is taken by slab_y as it is, in place of a step of its own, and so on by slab_z.
//
// -D: LAYERS; XY_LANES: vectors of a tile's row at x and y faces; Z_ROWS, Z_LANES: rows of a tile
// at z faces and vectors of a row, of which Z_VECTORS are of the layer; XY_BLOCKS, Z_BLOCKS: blocks
// that a multiprocessor should hold.
#include "vec.cuh"

#define AHEAD 2               // planes between a copy to shared memory and its use
#define RING (H + AHEAD + 1)  // planes of the field in shared memory: this one and those to come

// `chunk`: planes that a block marches; `z_start`: where the tiles of the bottom face begin.
#define SLAB_PARAMETERS                                                                            \
    REAL *next, const REAL *__restrict__ cur, const REAL *prev, const REAL *__restrict__ v2,       \
        const Shape s, const Weights w, const Layers f, const int chunk, const int z_start

extern __shared__ __align__(16) unsigned char shared_bytes[];

// A thread's place: its row of the tile and its vector in the row, the first point of the tile
// across (of its rows) and along z, its layer (at a z face that of its first point), and whether it
// has one.
struct Place {
    int row, lane, row0, z0, layer;
    bool of_layer;
};

template <int AXIS, int ROWS, int LANES>
__device__ __forceinline__ Place place(const Shape &s, const Layers &f, int side, int z_start)
{
    const int me = threadIdx.x;
    if (AXIS < 2) {
        const int row = me / LANES, far = (AXIS == 0 ? s.nx : s.ny) - LAYERS;
        return {row, me % LANES, side ? far : 0, (int)blockIdx.x * LANES * VEC, row, true};
    }
    // The first threads have the layer's vectors, so that whole warps do.
    const int z0 = side ? z_start : 0, layer0 = side ? s.nz - LAYERS : 0;
    const int of_others = LANES - Z_VECTORS, other = me - Z_VECTORS * ROWS;
    const int first = side ? (layer0 - f.shift - z0) / VEC : 0;
    Place p = {me / Z_VECTORS, first + me % Z_VECTORS, (int)blockIdx.x * ROWS, z0, 0, true};
    if (of_others > 0 && other >= 0) {
        p.row = other / max(of_others, 1);
        p.lane = other % max(of_others, 1);
        p.lane += p.lane < first ? 0 : Z_VECTORS;
        p.of_layer = false;
    }
    p.layer = z0 + p.lane * VEC - layer0;
    return p;
}

// sum_l w_l (p(+l) - p(-l)) across the layer, of vectors in shared memory whose rows are `pitch`
// apart.
template <int AXIS>
__device__ __forceinline__ Vec odd_across(const Weights &w, const Vec *here, int pitch)
{
    if (AXIS < 2)
        return odd_vec(w.first[AXIS], (const REAL *)here, pitch * VEC);
    REAL window[(2 * HV + 1) * VEC];
    window_of(window, here);
    Vec sum;
#pragma unroll
    for (int c = 0; c < VEC; ++c)
        sum.v[c] = odd_window(w.first[2], window, c);
    return sum;
}

// The Laplacian from the ring and, along the march, the queue; `even` becomes its sum across the
// layer without the centre.
template <int AXIS>
__device__ __forceinline__ Vec laplacian(const Weights &w, const Vec *here, int pitch,
                                         const Vec *queue, Vec &even)
{
    const Vec centre = queue[H];
    REAL window[(2 * HV + 1) * VEC];
    window_of(window, here);
    Vec lap;
#pragma unroll
    for (int c = 0; c < VEC; ++c)
        lap.v[c] = w.centre * centre.v[c];
#pragma unroll
    for (int k = 1; k <= H; ++k) {
        const Vec minus = here[-k * pitch], plus = here[k * pitch];
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
    return lap;
}

// blockIdx.x counts tiles along z (at a z face along y), blockIdx.y pieces of the march, blockIdx.z
// sides; threads along x only. Shared memory, in vectors: the ring, RING planes of ROWS + 2 H rows
// of PITCH; psi of two planes, its rows with zeros on both sides across the layer; then AHEAD times
// psi, zeta, v2 and the level before of each thread.
template <int AXIS, int ROWS, int LANES>
__device__ __forceinline__ void slab(SLAB_PARAMETERS)
{
    // At a z face the eight threads that shared memory serves at a time have two rows.
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
    const Place p = place<AXIS, ROWS, LANES>(s, f, side, z_start);
    const bool of_layer = p.of_layer;
    const int rows = AXIS == 0 ? s.nx : s.ny;  // of the grid, in the tile's direction
    const int ix = AXIS == 0 ? p.row0 + p.row : first, iy = AXIS == 0 ? first : p.row0 + p.row;
    const int z = p.z0 + p.lane * VEC, iz = min(z, s.stride - VEC);
    const bool mine = z < s.nz && p.row0 + p.row < rows;

    // Which planes of the march are another face's, too, whose launch has been before.
    const int edge_end = AXIS > 0 && f.psi[0] ? L : 0,
              edge_start = AXIS > 0 && f.psi[1] ? s.nx - L : s.nx + s.ny;
    const bool all_edge = AXIS == 2 && ((f.psi[2] && iy < L) || (f.psi[3] && iy >= s.ny - L)),
               tile_edge = AXIS == 2 && ((f.psi[2] && p.row0 < L) ||
                                         (f.psi[3] && p.row0 + ROWS > s.ny - L));
    auto is_edge = [&](int n) {
        return all_edge || first + n < edge_end || first + n >= edge_start;
    };
    if (first < edge_end || first + planes > edge_start || tile_edge)
        wait_for_front();

    // Where this thread's numbers are: in the plane that is computed, and in the newest one.
    const long long down = AXIS == 0 ? s.plane : s.stride,
                    corner = AXIS == 0 ? at(s, 0, first, 0) : at(s, first, 0, 0);
    const int along = AXIS == 0 ? s.stride : s.plane,
              psi_along = AXIS == 0   ? s.stride
                          : AXIS == 1 ? (L + 2 * H) * s.stride
                                      : s.ny * f.z_psi,
              zeta_along = AXIS == 0 ? s.stride : AXIS == 1 ? L * s.stride : s.ny * f.z_zeta;
    const int shift = AXIS == 2 && side ? f.shift : 0;
    long long i = corner + min(p.row0 + p.row, rows - 1) * down + iz;
    const REAL *newest = cur + i;
    REAL *psi = psi_of<AXIS>(f, face) + psi_index<AXIS>(s, f, shift, p.layer, ix, iy, iz);
    REAL *zeta = zeta_of<AXIS>(f, face) + zeta_index<AXIS>(s, f, shift, p.layer, ix, iy, iz);
    Vec a, b;
    const REAL *profile = f.profile + 2 * face * f.length + shift + p.layer;
#pragma unroll
    for (int c = 0; c < VEC; ++c) {
        a.v[c] = of_layer ? profile[AXIS == 2 ? c : 0] : 0;
        b.v[c] = of_layer ? profile[f.length + (AXIS == 2 ? c : 0)] : 0;
    }

    // Its place in each part of shared memory, and the vectors of the halo that it brings.
    Vec *const shared = (Vec *)shared_bytes, *const psi_tiles = shared + RING * PLANE;
    Vec *const ring = shared + (p.row + H) * PITCH + HV + p.lane;
    Vec *const new_psi =
        psi_tiles + (AXIS == 2 ? p.row * PITCH + HV : (p.row + H) * LANES) + p.lane;
    Vec *const own = psi_tiles + 2 * PSI_PLANE + me;
    const int OF_ROWS = 2 * H * LANES, HALO = OF_ROWS + ROWS * 2 * HV,
              HALOS = (HALO + THREADS - 1) / THREADS;
    long long halo_from[HALOS];
    int halo_to[HALOS];
    bool halo_wanted[HALOS];
#pragma unroll
    for (int k = 0; k < HALOS; ++k) {
        const int h = me + k * THREADS, c = h - OF_ROWS;
        int row = h / LANES, lane = h % LANES;
        row += row < H ? -H : ROWS - H;
        if (c >= 0) {
            row = c / (2 * HV);
            lane = c % (2 * HV) < HV ? c % (2 * HV) - HV : c % (2 * HV) - HV + LANES;
        }
        const int of_row = p.row0 + row, of_z = p.z0 + lane * VEC;
        halo_from[k] = corner + of_row * down + of_z - i;
        halo_to[k] = (row - p.row) * PITCH + lane - p.lane;
        halo_wanted[k] = h < HALO && of_row >= 0 && of_row < rows && of_z >= 0 && of_z < s.nz;
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
        psi_tiles[k] = zeros();
    // Nor has everybody numbers of its own.
    for (int k = 0; k < 4 * AHEAD; ++k)
        if (!mine || (!of_layer && (k % 4 < 2 || is_edge(k / 4))))
            own[k * THREADS] = zeros();

    // Asks for this thread's share of the next plane of the field, the n-th: behind the last plane
    // that is computed nobody needs a halo, and at last nothing.
    auto bring = [&](int to, int n) {
        fetch_if(n < planes + H && mine, ring + to, newest);
#pragma unroll
        for (int k = 0; k < HALOS; ++k)
            fetch_if(n < planes && halo_wanted[k], ring + to + halo_to[k], newest + halo_from[k]);
        newest += along;
    };
    // And for its own numbers `ahead` planes from now, psi of the one behind. At an edge there is
    // nothing to do for who has no layer.
    auto bring_own = [&](int n, int ahead) {
        const int m = n + ahead;
        const bool wanted = mine && m < planes && (of_layer || !is_edge(m));
        const long long at_own = i + (long long)ahead * along;
        Vec *to = own + m % AHEAD * 4 * THREADS;
        fetch_if(wanted && of_layer && m + 1 < planes, to, psi + (long long)ahead * psi_along);
        fetch_if(wanted && of_layer, to + THREADS, zeta + (long long)ahead * zeta_along);
        fetch_if(wanted, to + 2 * THREADS, v2 + at_own);
        fetch_if(wanted, to + 3 * THREADS, (is_edge(m) ? next : prev) + at_own);
    };
    // psi of the n-th plane from the field there, in the ring, and its own old value.
    auto make_psi = [&](const Vec *here, Vec value, int n) {
        const Vec slope = odd_across<AXIS>(w, here, PITCH);
#pragma unroll
        for (int c = 0; c < VEC; ++c)
            value.v[c] = flushed(a.v[c] * value.v[c] + b.v[c] * slope.v[c]);
        new_psi[(n & 1) * PSI_PLANE] = value;
        if (mine && n < planes)
            store(psi, value);
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
#pragma unroll 1  // by 3 or 5 nvcc 13.0 leaves out the tests between planes
    for (int n = 0; n < planes; ++n, i += along) {
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

        const bool edge = is_edge(n);
        const Vec centre = queue[H];
        Vec even, result;
        const Vec lap = laplacian<AXIS>(w, ring + now, PITCH, queue, even);
#pragma unroll
        for (int c = 0; c < VEC; ++c) {
            result.v[c] =
                flushed((centre.v[c] + centre.v[c] - old.v[c]) + square.v[c] * lap.v[c]);
            if (edge)
                result.v[c] = old.v[c];
        }
        if (of_layer) {
            const Vec d_psi = odd_across<AXIS>(w, new_psi + (n & 1) * PSI_PLANE, PSI_PITCH);
            Vec new_zeta;
#pragma unroll
            for (int c = 0; c < VEC; ++c) {
                const REAL d2 = w.second_centre[AXIS] * centre.v[c] + even.v[c];
                new_zeta.v[c] = flushed(a.v[c] * old_zeta.v[c] + b.v[c] * (d2 + d_psi.v[c]));
                // A vector may reach into the layer with some of its points only; the others get
                // nothing.
                if (AXIS < 2 || (p.layer + c >= 0 && p.layer + c < L))
                    result.v[c] =
                        flushed(result.v[c] + square.v[c] * (d_psi.v[c] + new_zeta.v[c]));
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
        now = after(now), last = after(last), filling = after(filling);
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
