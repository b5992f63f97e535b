// What all kernels of this lab share: how a volume lies in memory. With -DH=... comes half the
// order of the differences.
//
// A level is one array of `level_words(s)` floats, z fastest. Row (ix, iy) starts at `at(s, ix, iy,
// 0)`, on 128 bytes. H rows of zeros lie beyond each face of x and y, and at least 8 zeros between
// the end of a row and the start of the next: so no kernel has to ask whether a neighbour lies
// outside of the grid.
#ifndef WAVE_CUH
#define WAVE_CUH

#ifndef H
#define H 4 // order 8
#endif

#define PAD 32 // zeros before the first row

struct Shape {
    int nx, ny, nz; // points
    int stride;     // floats from a row to the next
    int plane;      // floats from a plane of x to the next
    int layers;     // absorbing layers, points on each face
};

__device__ __forceinline__ int at(const Shape &s, int ix, int iy, int iz)
{
    return PAD + (ix + H) * s.plane + (iy + H) * s.stride + iz;
}

__device__ __forceinline__ int level_words(const Shape &s)
{
    return PAD + (s.nx + 2 * H) * s.plane;
}

// One absorbing layer: the points x0 <= ix < x0 + nx and so on, `layers` of them along `axis` (0 x,
// 1 y, 2 z). Its state (psi, zeta) has no halo and no gaps: point (jx, jy, jz) of the layer is
// number (jx * ny + jy) * nz + jz.
struct Face {
    int x0, y0, z0;
    int nx, ny, nz;
    int axis;
    // 0: at the lower end of the axis, so that the outermost point comes first; 1: at the upper end
    int side;
};

#endif
