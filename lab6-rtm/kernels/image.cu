// Exercise 6.6: the imaging condition.
//
// correlate: adds the products of one time level to both sums, in the interior: `layers` points
// away from every face and more. correlation, illumination, pr and each of the nt levels of
// `history` are levels (wave.cuh). history holds the source wavefield of the times 0, 1, .. nt - 1,
// one level after the other. The receiver wavefield pr comes backwards in time: `step` is 0 for
// time nt - 1.
//
// normalise: image = correlation / (illumination + floor) in the interior. floor is positive where
// the wave never came, too.
#include "wave.cuh"

extern "C" __global__ void correlate(float *correlation, float *illumination, const float *history,
                                     const float *pr, const Shape s, int nt, int step)
{
    // <lab
    // 1. The thread's point: threadIdx.x along z, from the first point of the interior on.
    // 2. The level of history that has the time of pr.
    // 3. Both sums. Each point belongs to one thread: no atomics.
    // lab>
}

extern "C" __global__ void normalise(float *image, const float *correlation,
                                     const float *illumination, const Shape s, float floor)
{
    // <lab
    // The same points.
    // lab>
}
