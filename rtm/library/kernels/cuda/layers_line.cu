// The absorbing layers in one pass for each axis, after the step: a block owns whole lines across a
// layer. It makes psi of all their points, which stand in shared memory from then on, and behind a
// barrier zeta and what the layers add to the new level. Nobody else needs psi of these lines, so
// there is no race; x, y and z come one after the other, because edges belong to several.
//
// What a block needs of some lines goes to shared memory (see `fetch`), and while it computes
// these, the next lines are on their way: else all blocks would wait and compute in step with each
// other, and the memory would rest meanwhile.
//
// -D: LINE_THREADS, LINE_BLOCKS: threads of a block at most, and blocks that a multiprocessor
// should hold.
#include "vec.cuh"

#ifndef LINE_THREADS
#define LINE_THREADS 512
#endif
#ifndef LINE_BLOCKS
#define LINE_BLOCKS 1
#endif

#define LAYER_PARAMETERS                                                                           \
    REAL *next, const REAL *__restrict__ cur, const REAL *__restrict__ v2, const Shape s,          \
        const Weights w, const Layers f

extern __shared__ __align__(16) unsigned char shared_bytes[];

// x and y faces: threadIdx.x counts vectors along z, threadIdx.y is the layer; a block does every
// gridDim.y-th row of the face, blockIdx.z is its side. Shared memory, twice, in vectors: the field
// and psi, L + 2 H rows of blockDim.x each; zeta, v2 and the new level, L rows each.
template <int AXIS>
__device__ __forceinline__ void absorb(LAYER_PARAMETERS)
{
    const int L = s.layers, lanes = blockDim.x, tz = threadIdx.x, l = threadIdx.y;
    const int face = 2 * AXIS + blockIdx.z;
    REAL *const of_psi = psi_of<AXIS>(f, face), *const of_zeta = zeta_of<AXIS>(f, face);
    if (!of_psi)
        return;
    const int rows = AXIS == 0 ? s.ny : s.nx,
              deep = l + (blockIdx.z ? (AXIS == 0 ? s.nx : s.ny) - L : 0);
    const int iz = (blockIdx.x * lanes + tz) * VEC;
    const bool mine = iz < s.nz;
    const long long step = field_step<AXIS>(s);
    const REAL *a = f.profile + 2 * face * f.length;
    const REAL al = a[l], bl = a[f.length + l];
    // This thread's place in the buffer that fills.
    const int buffer = (5 * L + 4 * H) * lanes;
    Vec *field = (Vec *)shared_bytes + (l + H) * lanes + tz;
    const int psi = (L + 2 * H) * lanes, zeta = psi + (L + H) * lanes, v = zeta + L * lanes,
              level = v + L * lanes;
    for (int row = l; row < 2 * H; row += L) {
        const int beyond = psi + ((row < H ? row : L + row) - H - l) * lanes;
        field[beyond] = zeros();
        field[buffer + beyond] = zeros();
    }
    long long i = 0, at_psi = 0, at_zeta = 0;
    int other = blockIdx.y, turn = 0;
    while (true) {
        // Asks for a row, while the one before, which has arrived, is computed.
        Vec *here = field + (turn ? 0 : buffer);
        Vec *filling = field + (turn ? buffer : 0);
        const long long i_here = i, psi_here = at_psi, zeta_here = at_zeta;
        if (mine && other < rows) {
            const int ix = AXIS == 0 ? deep : other, iy = AXIS == 0 ? other : deep;
            i = at(s, ix, iy, iz);
            at_psi = psi_index<AXIS>(s, f, 0, l, ix, iy, iz);
            at_zeta = zeta_index<AXIS>(s, f, 0, l, ix, iy, iz);
            fetch(filling, cur + i);
            fetch(filling + psi, of_psi + at_psi);
            fetch(filling + zeta, of_zeta + at_zeta);
            fetch(filling + v, v2 + i);
            for (int row = l; row < 2 * H; row += L) {
                const int from_mine = (row < H ? row : L + row) - H - l;
                fetch(filling + from_mine * lanes, cur + i + from_mine * step);
            }
        }
        // Only the new level is work of the kernels in front of this one.
        if (other == blockIdx.y)
            follow();
        if (mine && other < rows)
            fetch(filling + level, next + i);
        if (other >= (int)(blockIdx.y + gridDim.y)) {
            Vec even;
            if (mine) {
                Vec odd;
#pragma unroll
                for (int k = 1; k <= H; ++k) {
                    const Vec minus = here[-k * lanes], plus = here[k * lanes];
#pragma unroll
                    for (int c = 0; c < VEC; ++c) {
                        const REAL difference = w.first[AXIS][k - 1] * (plus.v[c] - minus.v[c]);
                        const REAL sum = PAIR(w.second[AXIS][k - 1], minus.v[c], plus.v[c]);
                        odd.v[c] = k == 1 ? difference : odd.v[c] + difference;
                        even.v[c] = k == 1 ? sum : even.v[c] + sum;
                    }
                }
                Vec p = here[psi];
#pragma unroll
                for (int c = 0; c < VEC; ++c)
                    p.v[c] = flushed(al * p.v[c] + bl * odd.v[c]);
                store(of_psi + psi_here, p);
                here[psi] = p;
            }
            __syncthreads();
            if (mine) {
                Vec d_psi;
#pragma unroll
                for (int k = 1; k <= H; ++k) {
                    const Vec minus = here[psi - k * lanes], plus = here[psi + k * lanes];
#pragma unroll
                    for (int c = 0; c < VEC; ++c) {
                        const REAL term = w.first[AXIS][k - 1] * (plus.v[c] - minus.v[c]);
                        d_psi.v[c] = k == 1 ? term : d_psi.v[c] + term;
                    }
                }
                const Vec centre = here[0], square = here[v];
                Vec z = here[zeta], result = here[level];
#pragma unroll
                for (int c = 0; c < VEC; ++c) {
                    const REAL d2 = w.second_centre[AXIS] * centre.v[c] + even.v[c];
                    z.v[c] = flushed(al * z.v[c] + bl * (d2 + d_psi.v[c]));
                    result.v[c] = flushed(result.v[c] + square.v[c] * (d_psi.v[c] + z.v[c]));
                }
                store(of_zeta + zeta_here, z);
#if SURFACE
                const int iy = other - gridDim.y;  // for AXIS 0: its layers come later
                const bool later =
                    AXIS == 0 && ((iy < L && s.surface & 8) || (iy >= s.ny - L && s.surface & 16));
                if (s.surface & 1 && iz < H && !later)
                    mirror_vec(result, square, cur + i_here - iz, iz, w);
#endif
                store(next + i_here, result);
            }
        }
        if (other >= rows)
            return;
        other += gridDim.y;
        turn ^= 1;
        arrived<0>();
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(LINE_THREADS, LINE_BLOCKS) absorb_x(LAYER_PARAMETERS)
{ absorb<0>(next, cur, v2, s, w, f); }
extern "C" __global__ void __launch_bounds__(LINE_THREADS, LINE_BLOCKS) absorb_y(LAYER_PARAMETERS)
{ absorb<1>(next, cur, v2, s, w, f); }

// z faces: threadIdx.x counts the vectors of a line (z_zeta / VEC of them), threadIdx.y lines; a
// block does every gridDim.x-th group of blockDim.y lines, blockIdx.z is the side. Shared memory,
// twice, in vectors: the field and psi, blockDim.y rows of blockDim.x + 2 HV each; zeta, v2 and the
// new level, blockDim.y rows of blockDim.x each.
extern "C" __global__ void __launch_bounds__(LINE_THREADS, LINE_BLOCKS) absorb_z(LAYER_PARAMETERS)
{
    const int L = s.layers, vectors = blockDim.x, width = vectors + 2 * HV, tv = threadIdx.x,
              lines = blockDim.y;
    const int face = 4 + blockIdx.z, shift = blockIdx.z ? f.shift : 0;
    REAL *const of_psi = psi_of<2>(f, face), *const of_zeta = zeta_of<2>(f, face);
    if (!of_psi)
        return;
    const int l = tv * VEC - shift;  // layer of the vector's first point; below 0 outside
    const int first = blockIdx.z ? s.nz - L : 0;  // of the layer's points
    const int groups = (s.nx * s.ny + lines - 1) / lines;
    REAL a[VEC], b[VEC];
    const REAL *profile = f.profile + 2 * face * f.length + tv * VEC;
#pragma unroll
    for (int c = 0; c < VEC; ++c) {
        a[c] = profile[c];
        b[c] = profile[f.length + c];
    }
    // This thread's places in the first buffer.
    Vec *fields = (Vec *)shared_bytes + threadIdx.y * width + HV + tv;
    Vec *others = (Vec *)shared_bytes + 2 * lines * width + threadIdx.y * vectors + tv;
    const int buffer = lines * (2 * width + 3 * vectors), psi = lines * width, v = lines * vectors,
              level = 2 * v;
    long long i = 0, at_psi = 0, at_zeta = 0;
    bool mine = false;
    int group = blockIdx.x, turn = 0;
    while (true) {
        // Asks for a group of lines, while the one before, which has arrived, is computed.
        Vec *field = fields + (turn ? 0 : buffer), *zeta = others + (turn ? 0 : buffer);
        Vec *filling = fields + (turn ? buffer : 0), *zeta_filling = others + (turn ? buffer : 0);
        const long long i_here = i, psi_here = at_psi, zeta_here = at_zeta;
        const bool mine_here = mine;
        const int row = group * lines + threadIdx.y;
        mine = group < groups && row < s.nx * s.ny && l < L;
        if (group < groups && row < s.nx * s.ny) {
            const int ix = row / s.ny, iy = row - ix * s.ny;
            i = at(s, ix, iy, first + l);
            at_psi = psi_index<2>(s, f, shift, l, ix, iy, first + l);
            at_zeta = zeta_index<2>(s, f, shift, l, ix, iy, first + l);
            for (int column = tv - HV; column < vectors + HV; column += vectors) {
                const int of_column = column * VEC - shift, to = column - tv;
                // Beyond the grid there are zeros, which nobody needs to fetch.
                if (first + of_column >= 0 && first + of_column < s.nz)
                    fetch(filling + to, cur + i + to * VEC);
                else
                    filling[to] = zeros();
                if (column >= 0 && column < vectors && of_column < L)
                    fetch(filling + psi + to, of_psi + at_psi + to * VEC);
                else
                    filling[psi + to] = zeros();
            }
            if (mine) {
                fetch(zeta_filling, of_zeta + at_zeta);
                fetch(zeta_filling + v, v2 + i);
            }
        }
        if (group == blockIdx.x)
            follow();
        if (mine)
            fetch(zeta_filling + level, next + i);
        if (group >= (int)(blockIdx.x + gridDim.x)) {
            REAL window[(2 * HV + 1) * VEC], even[VEC];
            if (mine_here) {
                window_of(window, field);
                Vec p = field[psi];
#pragma unroll
                for (int c = 0; c < VEC; ++c) {
                    p.v[c] = flushed(a[c] * p.v[c] + b[c] * odd_window(w.first[2], window, c));
                    even[c] =
                        PAIR(w.second[2][0], window[HV * VEC + c - 1], window[HV * VEC + c + 1]);
#pragma unroll
                    for (int k = 2; k <= H; ++k)
                        even[c] += PAIR(w.second[2][k - 1], window[HV * VEC + c - k],
                                        window[HV * VEC + c + k]);
                }
                store(of_psi + psi_here, p);
                field[psi] = p;
            }
            __syncthreads();
            if (mine_here) {
                window_of(window, field + psi);
                const Vec centre = field[0], square = zeta[v];
                Vec z = zeta[0], result = zeta[level];
#pragma unroll
                for (int c = 0; c < VEC; ++c) {
                    const REAL d_psi = odd_window(w.first[2], window, c);
                    const REAL d2 = w.second_centre[2] * centre.v[c] + even[c];
                    z.v[c] = flushed(a[c] * z.v[c] + b[c] * (d2 + d_psi));
                    // A vector may reach into the layer with some of its points only; the others
                    // get nothing.
                    if (l + c >= 0 && l + c < L)
                        result.v[c] = flushed(result.v[c] + square.v[c] * (d_psi + z.v[c]));
                }
                store(of_zeta + zeta_here, z);
                store(next + i_here, result);
            }
        }
        if (group >= groups)
            return;
        group += gridDim.x;
        turn ^= 1;
        arrived<0>();
        __syncthreads();
    }
}
