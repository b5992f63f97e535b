// The absorbing layers in two passes: first every psi, then zeta and what the layers add to the new
// level. All psi are new before any zeta reads its neighbours' psi, so nothing depends on the size
// or order of blocks. The three axes have launches of their own: a point of an edge belongs to two
// or three faces, whose terms are added one after the other.
#include "layers.cuh"

#define LAYER_PARAMETERS                                                                           \
    REAL *next, const REAL *__restrict__ cur, const REAL *__restrict__ v2, const Shape s,          \
        const Weights w, const Layers f

// The point of a thread: `i` and `j` are its places along the two axes of the face, l is its layer;
// false outside.
template <int AXIS>
__device__ __forceinline__ bool place(const Shape &s, int face, int l, int i, int j, int *ix,
                                      int *iy, int *iz)
{
    const int deep = l + (face & 1 ? (AXIS == 0 ? s.nx : AXIS == 1 ? s.ny : s.nz) - s.layers : 0);
    *ix = AXIS == 0 ? deep : i;
    *iy = AXIS == 1 ? deep : AXIS == 0 ? i : j;
    *iz = AXIS == 2 ? deep : j;
    return l < s.layers && *ix < s.nx && *iy < s.ny && *iz < s.nz;
}

template <int AXIS, bool PSI>
__device__ __forceinline__ void work(LAYER_PARAMETERS, int face, int l, int i, int j)
{
    int ix, iy, iz;
    if (psi_of<AXIS>(f, face) == nullptr || !place<AXIS>(s, face, l, i, j, &ix, &iy, &iz))
        return;
    if (PSI) {
        psi_point<AXIS>(cur, s, w, f, face, l, ix, iy, iz);
    } else {
        const long long n = at(s, ix, iy, iz);
        next[n] = flushed(
            next[n] + v2[n] * zeta_point<AXIS>(cur, s, w, f, face, l, ix, iy, iz));
    }
}

#define ALL next, cur, v2, s, w, f

// Pass 2 of the spec, improved: neighbouring threads have neighbouring z, and one launch does both
// faces of an axis. x faces: blocks of (z, y), grid.z = 2 L. y faces: blocks of (z, x), grid.z = 2
// L. z faces: blocks of (layer, row), where a row is ix * ny + iy, grid.z = 2.
template <int AXIS, bool PSI>
__device__ __forceinline__ void improved(LAYER_PARAMETERS)
{
    const int a = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y * blockDim.y + threadIdx.y;
    if (AXIS == 2) {
        if (b < s.nx * s.ny)
            work<AXIS, PSI>(ALL, 4 + blockIdx.z, a, b / s.ny, b % s.ny);
    } else {
        work<AXIS, PSI>(ALL, 2 * AXIS + blockIdx.z / s.layers, blockIdx.z % s.layers, b, a);
    }
}

extern "C" __global__ void psi_x(LAYER_PARAMETERS) { improved<0, true>(ALL); }
extern "C" __global__ void psi_y(LAYER_PARAMETERS) { improved<1, true>(ALL); }
extern "C" __global__ void psi_z(LAYER_PARAMETERS) { improved<2, true>(ALL); }
extern "C" __global__ void zeta_x(LAYER_PARAMETERS) { improved<0, false>(ALL); }
extern "C" __global__ void zeta_y(LAYER_PARAMETERS) { improved<1, false>(ALL); }
extern "C" __global__ void zeta_z(LAYER_PARAMETERS) { improved<2, false>(ALL); }

// Naive: a launch for each face, threadIdx.x along x and threadIdx.z along z, against the order of
// memory.
template <int AXIS, bool PSI>
__device__ __forceinline__ void naive(LAYER_PARAMETERS, int face)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    const int l = AXIS == 0 ? x : AXIS == 1 ? y : z;
    work<AXIS, PSI>(ALL, face, l, AXIS == 0 ? y : x, AXIS == 2 ? y : z);
}

#define NAIVE(name, axis, face)                                                                    \
    extern "C" __global__ void psi_##name(LAYER_PARAMETERS) { naive<axis, true>(ALL, face); }      \
    extern "C" __global__ void apply_cpml_##name(LAYER_PARAMETERS)                                 \
    { naive<axis, false>(ALL, face); }

NAIVE(left, 0, 0)
NAIVE(right, 0, 1)
NAIVE(back, 1, 2)
NAIVE(front, 1, 3)
NAIVE(top, 2, 4)
NAIVE(bottom, 2, 5)
