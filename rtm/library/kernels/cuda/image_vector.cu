// The image's sums, VEC points a thread, one row a block of threads along y; the rows of the
// interior only.
#include "image.cuh"

extern "C" __global__ void image_vector(IMAGE_PARAMETERS, const Shape s)
{
    const int L = s.layers;
    const int iz = L / VEC * VEC + (blockIdx.x * blockDim.x + threadIdx.x) * VEC;
    const int iy = L + blockIdx.y * blockDim.y + threadIdx.y, ix = L + blockIdx.z;
    if (iz < s.nz - L && iy < s.ny - L)
        image_vec(correlation, source_energy, receiver_energy, ps, pr, later_ps, later_pr,
                  at(s, ix, iy, iz));
}
