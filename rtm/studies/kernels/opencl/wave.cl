// Put before every wave kernel: the stencil's radius, where its coefficients come from, counted
// loads.
//
// Volumes hold full sizes nx * ny * nz, borders of R cells included, x fastest: i = (z * ny + y) *
// nx + x. Coefficients are in the order centre, distance 1, distance 2: -90, 16, -1, twelve times
// those of order 4; the twelfth lies in vel = v^2 dt^2 / (12 h^2).

// Products and sums are never fused, so that variants with the same order of sums give the same
// bits.
#pragma OPENCL FP_CONTRACT OFF

#define R 2

#ifdef BAKED
constant float coeff[R + 1] = { -90.0f, 16.0f, -1.0f };
#define COEFF_PARAM
#define COEFF_ARG
#else
#define COEFF_PARAM , constant float *coeff
#define COEFF_ARG , coeff
#endif

// What `counts` counts.
#define NEW_PLANE 0
#define HALO 1
#define VELOCITY 2
#define OLD 3
#define WRITTEN 4
#define OUTSIDE 5
#define ITERATIONS 6

#ifdef COUNT
#define COUNTS_PARAM , volatile global uint *counts
#define COUNTED(kind) atomic_inc(counts + (kind))
float counted_load(const global float *p, int i, int limit, volatile global uint *counts, int kind)
{
    atomic_inc(counts + kind);
    if (i < 0 || i >= limit) {
        atomic_inc(counts + OUTSIDE);
        return 0.0f;
    }
    return p[i];
}
void counted_store(global float *p, int i, float value, int limit, volatile global uint *counts) {
    atomic_inc(counts + WRITTEN);
    if (i < 0 || i >= limit) {
        atomic_inc(counts + OUTSIDE);
        return;
    }
    p[i] = value;
}
// `limit`, the number of cells, must be a variable where these are used.
#define LOAD(p, i, kind) counted_load(p, i, limit, counts, kind)
#define STORE(p, i, value) counted_store(p, i, value, limit, counts)
#else
#define COUNTS_PARAM
#define COUNTED(kind)
#define LOAD(p, i, kind) (p)[i]
#define STORE(p, i, value) (p)[i] = (value)
#endif
