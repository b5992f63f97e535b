// The imaging condition, 16 bytes a thread.
#include "vec.cuh"

// The image's sums, VEC points a thread, one row a block of threads along y; the rows of the
// interior only.
extern "C" __global__ void image_vector(REAL *correlation, REAL *source_energy,
                                        REAL *receiver_energy, const REAL *__restrict__ ps,
                                        const REAL *__restrict__ pr, const Shape s)
{
    const int L = s.layers;
    const int iz = L / VEC * VEC + (blockIdx.x * blockDim.x + threadIdx.x) * VEC;
    const int iy = L + blockIdx.y * blockDim.y + threadIdx.y, ix = L + blockIdx.z;
    if (iz >= s.nz - L || iy >= s.ny - L)
        return;
    const long long i = at(s, ix, iy, iz);
    // Points of the layers that share a vector with the interior are summed, too; nobody reads
    // them.
    const Vec a = load(ps + i), b = load(pr + i);
    Vec sum = load(correlation + i);
#pragma unroll
    for (int c = 0; c < VEC; ++c)
        sum.v[c] += a.v[c] * b.v[c];
    store(correlation + i, sum);
    if (source_energy) {
        sum = load(source_energy + i);
#pragma unroll
        for (int c = 0; c < VEC; ++c)
            sum.v[c] += a.v[c] * a.v[c];
        store(source_energy + i, sum);
    }
    if (receiver_energy) {
        sum = load(receiver_energy + i);
#pragma unroll
        for (int c = 0; c < VEC; ++c)
            sum.v[c] += b.v[c] * b.v[c];
        store(receiver_energy + i, sum);
    }
}
