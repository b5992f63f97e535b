// The absorbing layers in one pass for each axis, after the step: a block owns whole lines across a layer. It makes psi of all their
// points, which stand in shared memory from then on, and behind a barrier zeta and what the layers add to the new level. Nobody else
// needs psi of these lines, so there is no race; x, y and z come one after the other, because edges belong to several.
//
// All that a block needs is asked for at once and goes to shared memory: what waits in registers there is too little of (see `fetch`).
//
// -D: LINE_THREADS, LINE_BLOCKS: threads of a block at most, and blocks that a multiprocessor should hold.
#include "vec.cuh"

#ifndef LINE_THREADS
#define LINE_THREADS 512
#endif
#ifndef LINE_BLOCKS
#define LINE_BLOCKS 1
#endif

#define LAYER_PARAMETERS \
    REAL *next, const REAL *__restrict__ cur, const REAL *__restrict__ v2, const Shape s, const Weights w, const Layers f

extern __shared__ __align__(16) unsigned char shared_bytes[];

__device__ __forceinline__ Vec zeros()
{
    Vec zero;
#pragma unroll
    for (int c = 0; c < VEC; ++c)
        zero.v[c] = 0;
    return zero;
}

// x and y faces: threadIdx.x counts vectors along z, threadIdx.y is the layer; blockIdx.y counts the rows of the face, blockIdx.z is
// its side. Shared memory, in vectors: the field and psi, L + 2 H rows of blockDim.x each; zeta, v2 and the new level, L rows each.
template <int AXIS>
__device__ __forceinline__ void absorb(LAYER_PARAMETERS)
{
    const int L = s.layers, lanes = blockDim.x, tz = threadIdx.x, l = threadIdx.y;
    const int face = 2 * AXIS + blockIdx.z;
    if (!f.psi[face])
        return;
    const int other = blockIdx.y, deep = l + (blockIdx.z ? (AXIS == 0 ? s.nx : s.ny) - L : 0);
    const int iz = (blockIdx.x * lanes + tz) * VEC;
    const int ix = AXIS == 0 ? deep : other, iy = AXIS == 0 ? other : deep;
    const bool mine = iz < s.nz;
    const long long i = at(s, ix, iy, mine ? iz : 0), step = field_step<AXIS>(s);
    REAL *at_psi = f.psi[face] + psi_index<AXIS>(s, f, 0, l, ix, iy, mine ? iz : 0);
    REAL *at_zeta = f.zeta[face] + zeta_index<AXIS>(s, f, 0, l, ix, iy, mine ? iz : 0);
    // This thread's place in each.
    Vec *field = (Vec *)shared_bytes + (l + H) * lanes + tz, *psi = field + (L + 2 * H) * lanes;
    Vec *zeta = psi + (L + H) * lanes, *v = zeta + L * lanes, *level = v + L * lanes;
    if (mine) {
        fetch(field, cur + i);
        fetch(psi, at_psi);
        fetch(zeta, at_zeta);
        fetch(v, v2 + i);
        fetch(level, next + i);
    }
    for (int row = l; row < 2 * H; row += L) {
        const int from_mine = (row < H ? row - H : L + row - H) - l;
        if (mine)
            fetch(field + from_mine * lanes, cur + i + from_mine * step);
        psi[from_mine * lanes] = zeros();
    }
    const REAL *a = f.profile + 2 * face * f.length;
    const REAL al = a[l], bl = a[f.length + l];
    arrived();
    __syncthreads();
    Vec even;
    if (mine) {
        Vec odd;
#pragma unroll
        for (int k = 1; k <= H; ++k) {
            const Vec minus = field[-k * lanes], plus = field[k * lanes];
#pragma unroll
            for (int c = 0; c < VEC; ++c) {
                const REAL difference = w.first[AXIS][k - 1] * (plus.v[c] - minus.v[c]);
                const REAL sum = PAIR(w.second[AXIS][k - 1], minus.v[c], plus.v[c]);
                odd.v[c] = k == 1 ? difference : odd.v[c] + difference;
                even.v[c] = k == 1 ? sum : even.v[c] + sum;
            }
        }
        Vec p = *psi;
#pragma unroll
        for (int c = 0; c < VEC; ++c)
            p.v[c] = al * p.v[c] + bl * odd.v[c];
        store(at_psi, p);
        *psi = p;
    }
    __syncthreads();
    if (!mine)
        return;
    Vec d_psi;
#pragma unroll
    for (int k = 1; k <= H; ++k) {
        const Vec minus = psi[-k * lanes], plus = psi[k * lanes];
#pragma unroll
        for (int c = 0; c < VEC; ++c) {
            const REAL term = w.first[AXIS][k - 1] * (plus.v[c] - minus.v[c]);
            d_psi.v[c] = k == 1 ? term : d_psi.v[c] + term;
        }
    }
    const Vec centre = *field, square = *v;
    Vec z = *zeta, result = *level;
#pragma unroll
    for (int c = 0; c < VEC; ++c) {
        const REAL d2 = w.second_centre[AXIS] * centre.v[c] + even.v[c];
        z.v[c] = al * z.v[c] + bl * (d2 + d_psi.v[c]);
        result.v[c] += square.v[c] * (d_psi.v[c] + z.v[c]);
    }
    store(at_zeta, z);
    store(next + i, result);
}

extern "C" __global__ void __launch_bounds__(LINE_THREADS, LINE_BLOCKS) absorb_x(LAYER_PARAMETERS) { absorb<0>(next, cur, v2, s, w, f); }
extern "C" __global__ void __launch_bounds__(LINE_THREADS, LINE_BLOCKS) absorb_y(LAYER_PARAMETERS) { absorb<1>(next, cur, v2, s, w, f); }

__device__ __forceinline__ void window_of(REAL *window, const Vec *middle)
{
#pragma unroll
    for (int k = 0; k <= 2 * HV; ++k) {
        const Vec part = middle[k - HV];
#pragma unroll
        for (int c = 0; c < VEC; ++c)
            window[k * VEC + c] = part.v[c];
    }
}

// z faces: threadIdx.x counts the vectors of a line (z_zeta / VEC of them), threadIdx.y lines; blockIdx.x counts blocks of lines,
// blockIdx.z is the side. Shared memory, in vectors: the field and psi, blockDim.y rows of blockDim.x + 2 HV each; zeta, v2 and the
// new level, blockDim.y rows of blockDim.x each.
extern "C" __global__ void __launch_bounds__(LINE_THREADS, LINE_BLOCKS) absorb_z(LAYER_PARAMETERS)
{
    const int L = s.layers, vectors = blockDim.x, width = vectors + 2 * HV, tv = threadIdx.x;
    const int face = 4 + blockIdx.z, shift = blockIdx.z ? f.shift : 0;
    if (!f.psi[face])
        return;
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    const int l = tv * VEC - shift;  // layer of the vector's first point; below 0 outside
    const bool inside = row < s.nx * s.ny, mine = inside && l < L;
    const int ix = inside ? row / s.ny : 0, iy = inside ? row - ix * s.ny : 0;
    const int first = blockIdx.z ? s.nz - L : 0;  // of the layer's points
    const long long i = at(s, ix, iy, first + l);
    REAL *at_psi = f.psi[face] + psi_index<2>(s, f, shift, l, ix, iy, first + l);
    REAL *at_zeta = f.zeta[face] + zeta_index<2>(s, f, shift, l, ix, iy, first + l);
    // This thread's place in each.
    const int rows = blockDim.y, own = threadIdx.y * vectors + tv;
    Vec *field = (Vec *)shared_bytes + threadIdx.y * width + HV + tv, *psi = field + rows * width;
    Vec *zeta = (Vec *)shared_bytes + 2 * rows * width + own, *v = zeta + rows * vectors, *level = v + rows * vectors;
    for (int column = tv - HV; column < vectors + HV; column += vectors) {
        const int of_column = column * VEC - shift, to = column - tv, step = to * VEC;
        if (!inside)
            continue;
        // Beyond the grid there are zeros, which nobody needs to fetch.
        if (first + of_column >= 0 && first + of_column < s.nz)
            fetch(field + to, cur + i + step);
        else
            field[to] = zeros();
        if (column >= 0 && column < vectors && of_column < L)
            fetch(psi + to, at_psi + step);
        else
            psi[to] = zeros();
    }
    if (mine) {
        fetch(zeta, at_zeta);
        fetch(v, v2 + i);
        fetch(level, next + i);
    }
    REAL a[VEC], b[VEC], window[(2 * HV + 1) * VEC], even[VEC];
    const REAL *profile = f.profile + 2 * face * f.length + tv * VEC;
#pragma unroll
    for (int c = 0; c < VEC; ++c) {
        a[c] = profile[c];
        b[c] = profile[f.length + c];
    }
    arrived();
    __syncthreads();
    if (mine) {
        window_of(window, field);
        Vec p = *psi;
#pragma unroll
        for (int c = 0; c < VEC; ++c) {
            p.v[c] = a[c] * p.v[c] + b[c] * odd_window(w.first[2], window, c);
            even[c] = PAIR(w.second[2][0], window[HV * VEC + c - 1], window[HV * VEC + c + 1]);
#pragma unroll
            for (int k = 2; k <= H; ++k)
                even[c] += PAIR(w.second[2][k - 1], window[HV * VEC + c - k], window[HV * VEC + c + k]);
        }
        store(at_psi, p);
        *psi = p;
    }
    __syncthreads();
    if (!mine)
        return;
    window_of(window, psi);
    const Vec centre = *field, square = *v;
    Vec z = *zeta, result = *level;
#pragma unroll
    for (int c = 0; c < VEC; ++c) {
        const REAL d_psi = odd_window(w.first[2], window, c);
        const REAL d2 = w.second_centre[2] * centre.v[c] + even[c];
        z.v[c] = a[c] * z.v[c] + b[c] * (d2 + d_psi);
        // A vector may reach into the layer with some of its points only; the others get nothing.
        if (l + c >= 0 && l + c < L)
            result.v[c] += square.v[c] * (d_psi + z.v[c]);
    }
    store(at_zeta, z);
    store(next + i, result);
}
