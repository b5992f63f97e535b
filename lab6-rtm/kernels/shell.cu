// Exercise 6.7: the shell of the interior, saved at every step and put back on the way back, a
// thread for each of its points.
//
// The interior lies `layers` points inside of every face: nx' x ny' x nz' points. Its shell is the
// outermost H of them on each face. Stored one after the other without gaps, z fastest, each point
// once:
//
//   left   [H][ny'][nz']               the first H planes of x          right   the last H
//   back   [nx' - 2 H][H][nz']         of the rest, the first H of y    front   the last H
//   top    [nx' - 2 H][ny' - 2 H][H]   of the rest, the first H of z    bottom  the last H
//
// store holds the shells of levels 0, 1, 2, ..., one after the other without gaps.
#include "wave.cuh"

// Points of the shell.
__device__ __forceinline__ int shell_words(const Shape &s)
{
    int nx = s.nx - 2 * s.layers, ny = s.ny - 2 * s.layers, nz = s.nz - 2 * s.layers;
    // <lab
    return 0 * nx * ny * nz; // the interior without what is deep inside of it
    // lab>
}

// Where the shell's point number t lies in a level.
__device__ __forceinline__ int shell_at(const Shape &s, int t)
{
    int L = s.layers, nx = s.nx - 2 * L, ny = s.ny - 2 * L, nz = s.nz - 2 * L;
    // <lab
    // Which face, which point of it? Count from the first point of that face on.
    return at(s, L, L, L) + 0 * nx * ny * nz * t;
    // lab>
}

extern "C" __global__ void shell_save(float *store, const float *cur, const Shape s, int level)
{
    // <lab
    // Neighbouring threads, neighbouring words of the store.
    // lab>
}

extern "C" __global__ void shell_load(float *cur, const float *store, const Shape s, int level)
{
    // <lab
    // The way back.
    // lab>
}
