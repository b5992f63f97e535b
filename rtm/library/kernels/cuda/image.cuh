// The imaging condition, 16 bytes a thread.
#ifndef IMAGE_CUH
#define IMAGE_CUH
#include "vec.cuh"

// sum += a b, and the same of the later pair if there is one.
__device__ __forceinline__ void accumulate(REAL *sum, const Vec &a, const Vec &b, bool later,
                                           const Vec &later_a, const Vec &later_b)
{
    Vec total = load(sum);
#pragma unroll
    for (int c = 0; c < VEC; ++c) {
        total.v[c] += a.v[c] * b.v[c];
        if (later)
            total.v[c] += later_a.v[c] * later_b.v[c];
    }
    store(sum, total);
}

// The image's sums, those of the energies unless they are null; the levels of two times, the later
// ones unless they are null, so that the sums are read and written once for both.
#define IMAGE_PARAMETERS                                                                           \
    REAL *correlation, REAL *source_energy, REAL *receiver_energy, const REAL *__restrict__ ps,    \
        const REAL *__restrict__ pr, const REAL *__restrict__ later_ps,                            \
        const REAL *__restrict__ later_pr

// VEC points from element i on. Points of the layers that share a vector with the interior are
// summed, too; nobody reads them.
__device__ __forceinline__ void image_vec(IMAGE_PARAMETERS, long long i)
{
    const bool later = later_ps;
    const Vec a = load(ps + i), b = load(pr + i);
    Vec later_a = a, later_b = b;
    if (later) {
        later_a = load(later_ps + i);
        later_b = load(later_pr + i);
    }
    accumulate(correlation + i, a, b, later, later_a, later_b);
    if (source_energy)
        accumulate(source_energy + i, a, a, later, later_a, later_a);
    if (receiver_energy)
        accumulate(receiver_energy + i, b, b, later, later_b, later_b);
}

#endif
