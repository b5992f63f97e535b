// The absorbing layers in one pass for each axis, after the step: a block owns whole lines across a layer. It makes psi of all their
// points, which stand in shared memory from then on, and behind a barrier zeta and what the layers add to the new level. Nobody else
// needs psi of these lines, so there is no race; x, y and z come one after the other, because edges belong to several.
//
// All that a thread needs is asked for before the first store: a store might change what a later load finds, so the compiler moves
// none across, and the thread would wait for memory twice.
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

// x and y faces: threadIdx.x counts vectors along z, threadIdx.y is the layer; blockIdx.y counts the rows of the face, blockIdx.z is
// its side. Shared memory: (L + 2 H) * blockDim.x vectors.
template <int AXIS>
__device__ __forceinline__ void absorb(LAYER_PARAMETERS)
{
    Vec *line = (Vec *)shared_bytes;
    const int L = s.layers, lanes = blockDim.x, tz = threadIdx.x, l = threadIdx.y;
    const int face = 2 * AXIS + blockIdx.z;
    if (!f.psi[face])
        return;
    const int other = blockIdx.y, deep = l + (blockIdx.z ? (AXIS == 0 ? s.nx : s.ny) - L : 0);
    const int iz = (blockIdx.x * lanes + tz) * VEC;
    const int ix = AXIS == 0 ? deep : other, iy = AXIS == 0 ? other : deep;
    const bool mine = iz < s.nz;
    const long long i = at(s, ix, iy, mine ? iz : 0), step = field_step<AXIS>(s);
    const REAL *a = f.profile + 2 * face * f.length;
    const REAL al = a[l], bl = a[f.length + l];
    REAL *at_psi = f.psi[face] + psi_index<AXIS>(s, f, 0, l, ix, iy, mine ? iz : 0);
    REAL *at_zeta = f.zeta[face] + zeta_index<AXIS>(s, f, 0, l, ix, iy, mine ? iz : 0);
    Vec centre, even, psi, zeta, v, result;
    if (mine) {
        psi = load(at_psi);
        zeta = load(at_zeta);
        v = load(v2 + i);
        result = load(next + i);
        centre = load(cur + i);
    }
    for (int row = l; row < 2 * H; row += L) {
        Vec zero;
#pragma unroll
        for (int c = 0; c < VEC; ++c)
            zero.v[c] = 0;
        line[(row < H ? row : L + row) * lanes + tz] = zero;
    }
    if (mine) {
        Vec odd;
#pragma unroll
        for (int k = 1; k <= H; ++k) {
            const Vec minus = load(cur + i - k * step), plus = load(cur + i + k * step);
#pragma unroll
            for (int c = 0; c < VEC; ++c) {
                const REAL difference = w.first[AXIS][k - 1] * (plus.v[c] - minus.v[c]);
                const REAL sum = PAIR(w.second[AXIS][k - 1], minus.v[c], plus.v[c]);
                odd.v[c] = k == 1 ? difference : odd.v[c] + difference;
                even.v[c] = k == 1 ? sum : even.v[c] + sum;
            }
        }
#pragma unroll
        for (int c = 0; c < VEC; ++c)
            psi.v[c] = al * psi.v[c] + bl * odd.v[c];
        store(at_psi, psi);
        line[(l + H) * lanes + tz] = psi;
    }
    __syncthreads();
    if (!mine)
        return;
    Vec d_psi;
#pragma unroll
    for (int k = 1; k <= H; ++k) {
        const Vec minus = line[(l + H - k) * lanes + tz], plus = line[(l + H + k) * lanes + tz];
#pragma unroll
        for (int c = 0; c < VEC; ++c) {
            const REAL term = w.first[AXIS][k - 1] * (plus.v[c] - minus.v[c]);
            d_psi.v[c] = k == 1 ? term : d_psi.v[c] + term;
        }
    }
#pragma unroll
    for (int c = 0; c < VEC; ++c) {
        const REAL d2 = w.second_centre[AXIS] * centre.v[c] + even.v[c];
        zeta.v[c] = al * zeta.v[c] + bl * (d2 + d_psi.v[c]);
        result.v[c] += v.v[c] * (d_psi.v[c] + zeta.v[c]);
    }
    store(at_zeta, zeta);
    store(next + i, result);
}

extern "C" __global__ void __launch_bounds__(LINE_THREADS, LINE_BLOCKS) absorb_x(LAYER_PARAMETERS) { absorb<0>(next, cur, v2, s, w, f); }
extern "C" __global__ void __launch_bounds__(LINE_THREADS, LINE_BLOCKS) absorb_y(LAYER_PARAMETERS) { absorb<1>(next, cur, v2, s, w, f); }

// z faces: threadIdx.x counts the vectors of a line (z_zeta / VEC of them), threadIdx.y lines; blockIdx.x counts blocks of lines,
// blockIdx.z is the side. Shared memory: blockDim.y * (blockDim.x + 2 HV) vectors.
extern "C" __global__ void __launch_bounds__(LINE_THREADS, LINE_BLOCKS) absorb_z(LAYER_PARAMETERS)
{
    const int L = s.layers, width = blockDim.x + 2 * HV, tv = threadIdx.x;
    Vec *line = (Vec *)shared_bytes + threadIdx.y * width;
    const int face = 4 + blockIdx.z, shift = blockIdx.z ? f.shift : 0;
    if (!f.psi[face])
        return;
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    const int l = tv * VEC - shift;  // layer of the vector's first point; below 0 outside
    const bool mine = row < s.nx * s.ny && l < L;
    const int ix = mine ? row / s.ny : 0, iy = mine ? row - ix * s.ny : 0;
    const int iz = l + (blockIdx.z ? s.nz - L : 0);
    const REAL *a = f.profile + 2 * face * f.length + tv * VEC;
    const long long i = mine ? at(s, ix, iy, iz) : 0;
    REAL *at_psi = f.psi[face] + (mine ? psi_index<2>(s, f, shift, l, ix, iy, iz) : 0);
    REAL *at_zeta = f.zeta[face] + (mine ? zeta_index<2>(s, f, shift, l, ix, iy, iz) : 0);
    REAL window[(2 * HV + 1) * VEC];
    Vec psi, zeta, v, result;
    if (mine) {
        psi = load(at_psi);
        zeta = load(at_zeta);
        v = load(v2 + i);
        result = load(next + i);
#pragma unroll
        for (int k = 0; k <= 2 * HV; ++k) {
            const Vec part = load(cur + i + (k - HV) * VEC);
#pragma unroll
            for (int c = 0; c < VEC; ++c)
                window[k * VEC + c] = part.v[c];
        }
    }
    for (int column = tv; column < width; column += blockDim.x) {
        Vec zero;
#pragma unroll
        for (int c = 0; c < VEC; ++c)
            zero.v[c] = 0;
        // The thread of a column writes it below.
        const int owner = column - HV;
        if (owner < 0 || owner >= blockDim.x || owner * VEC - shift >= L || row >= s.nx * s.ny)
            line[column] = zero;
    }
    if (mine) {
#pragma unroll
        for (int c = 0; c < VEC; ++c)
            psi.v[c] = a[c] * psi.v[c] + a[f.length + c] * odd_window(w.first[2], window, c);
        store(at_psi, psi);
        line[tv + HV] = psi;
    }
    __syncthreads();
    if (!mine)
        return;
    REAL psi_window[(2 * HV + 1) * VEC];
#pragma unroll
    for (int k = 0; k <= 2 * HV; ++k) {
        const Vec part = line[tv + k];
#pragma unroll
        for (int c = 0; c < VEC; ++c)
            psi_window[k * VEC + c] = part.v[c];
    }
#pragma unroll
    for (int c = 0; c < VEC; ++c) {
        const REAL d_psi = odd_window(w.first[2], psi_window, c);
        REAL even = PAIR(w.second[2][0], window[HV * VEC + c - 1], window[HV * VEC + c + 1]);
#pragma unroll
        for (int k = 2; k <= H; ++k)
            even += PAIR(w.second[2][k - 1], window[HV * VEC + c - k], window[HV * VEC + c + k]);
        const REAL d2 = w.second_centre[2] * window[HV * VEC + c] + even;
        zeta.v[c] = a[c] * zeta.v[c] + a[f.length + c] * (d2 + d_psi);
        // A vector may reach into the layer with some of its points only; the others get nothing.
        if (l + c >= 0 && l + c < L)
            result.v[c] += v.v[c] * (d_psi + zeta.v[c]);
    }
    store(at_zeta, zeta);
    store(next + i, result);
}
