// The absorbing layers (CPML): where psi, zeta and the profiles of a face lie. psi has H zeros on
// both sides along its axis.
//
// x faces: psi[L + 2 H][ny][stride], zeta[L][ny][stride]; y faces: psi[nx][L + 2 H][stride],
// zeta[nx][L][stride]; z faces: psi[nx][ny][z_psi] with the layer's first point at Z_HALO + shift,
// zeta[nx][ny][z_zeta] with it at shift. The shift of the bottom face puts its points on the same
// places modulo 4 as in the field; that of the others is 0.
#ifndef LAYERS_CUH
#define LAYERS_CUH
#include "volume.cuh"

#ifndef Z_HALO  // no less than H, or 0 for kernels that put zeros there for themselves
#define Z_HALO 16
#endif

struct Layers {
    REAL *psi[6];         // left, right, back, front, top, bottom; null: the face reflects
    REAL *zeta[6];
    // [face][a, b][length]; number `shift + l` is that of layer l, zeros around
    const REAL *profile;
    int length;
    int z_psi, z_zeta;    // elements of a row of the z faces
    int shift;            // of the bottom face
};

// psi and zeta of one of the axis' two faces. A choice between two, not `f.psi[face]`: a parameter
// has no address, so for an unknown index each thread would first copy the struct to its local
// memory.
template <int AXIS>
__device__ __forceinline__ REAL *psi_of(const Layers &f, int face)
{ return face & 1 ? f.psi[2 * AXIS + 1] : f.psi[2 * AXIS]; }
template <int AXIS>
__device__ __forceinline__ REAL *zeta_of(const Layers &f, int face)
{ return face & 1 ? f.zeta[2 * AXIS + 1] : f.zeta[2 * AXIS]; }

template <int AXIS>
__device__ __forceinline__ long long psi_index(const Shape &s, const Layers &f, int shift, int l,
                                               int ix, int iy, int iz)
{
    if (AXIS == 0)
        return ((long long)(l + H) * s.ny + iy) * s.stride + iz;
    if (AXIS == 1)
        return ((long long)ix * (s.layers + 2 * H) + l + H) * s.stride + iz;
    return ((long long)ix * s.ny + iy) * f.z_psi + Z_HALO + shift + l;
}

template <int AXIS>
__device__ __forceinline__ long long zeta_index(const Shape &s, const Layers &f, int shift, int l,
                                                int ix, int iy, int iz)
{
    if (AXIS == 0)
        return ((long long)l * s.ny + iy) * s.stride + iz;
    if (AXIS == 1)
        return ((long long)ix * s.layers + l) * s.stride + iz;
    return ((long long)ix * s.ny + iy) * f.z_zeta + shift + l;
}

// From a point to the next along an axis, in psi.
template <int AXIS>
__device__ __forceinline__ long long psi_step(const Shape &s)
{
    return AXIS == 0 ? (long long)s.ny * s.stride : AXIS == 1 ? s.stride : 1;
}

template <int AXIS>
__device__ __forceinline__ long long field_step(const Shape &s)
{
    return AXIS == 0 ? s.plane : AXIS == 1 ? s.stride : 1;
}

// sum_l w_l (plus_l - minus_l)
__device__ __forceinline__ REAL odd(const REAL *weights, const REAL *p, long long step)
{
    REAL sum = weights[0] * (p[step] - p[-step]);
#pragma unroll
    for (int l = 2; l <= H; ++l)
        sum += weights[l - 1] * (p[l * step] - p[-l * step]);
    return sum;
}

// sum_l w_l (minus_l + plus_l)
__device__ __forceinline__ REAL even(const REAL *weights, const REAL *p, long long step)
{
    REAL sum = weights[0] * (p[-step] + p[step]);
#pragma unroll
    for (int l = 2; l <= H; ++l)
        sum += weights[l - 1] * (p[-l * step] + p[l * step]);
    return sum;
}

// psi = a psi + b dp/di at one point of layer l.
template <int AXIS>
__device__ __forceinline__ void psi_point(const REAL *cur, const Shape &s, const Weights &w,
                                          const Layers &f, int face, int l, int ix, int iy, int iz)
{
    const int shift = face == 5 ? f.shift : 0;
    const REAL *a = f.profile + 2 * face * f.length + shift;
    const long long p = psi_index<AXIS>(s, f, shift, l, ix, iy, iz);
    REAL *psi = psi_of<AXIS>(f, face);
    const REAL d = odd(w.first[AXIS], cur + at(s, ix, iy, iz), field_step<AXIS>(s));
    psi[p] = flushed(a[l] * psi[p] + a[f.length + l] * d);
}

// zeta = a zeta + b (d2p/di2 + d(psi)/di); what it adds to the new level is v2 times the result.
template <int AXIS>
__device__ __forceinline__ REAL zeta_point(const REAL *cur, const Shape &s, const Weights &w,
                                           const Layers &f, int face, int l, int ix, int iy, int iz)
{
    const int shift = face == 5 ? f.shift : 0;
    const REAL *a = f.profile + 2 * face * f.length + shift;
    const REAL *psi = psi_of<AXIS>(f, face) + psi_index<AXIS>(s, f, shift, l, ix, iy, iz);
    const REAL d_psi = odd(w.first[AXIS], psi, psi_step<AXIS>(s));
    const REAL *c = cur + at(s, ix, iy, iz);
    const REAL d2 = w.second_centre[AXIS] * c[0] + even(w.second[AXIS], c, field_step<AXIS>(s));
    REAL *zeta = zeta_of<AXIS>(f, face) + zeta_index<AXIS>(s, f, shift, l, ix, iy, iz);
    const REAL z = flushed(a[l] * zeta[0] + a[f.length + l] * (d2 + d_psi));
    zeta[0] = z;
    return d_psi + z;
}

#endif
