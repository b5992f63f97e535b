// Given: adds samples to single points of a level, a thread for each point.
//
// Point k is element at[k] of the level and gains samples[first + k], k < n. No two points are the
// same.

extern "C" __global__ void add_points(float *level, const int *at, const float *samples, int n,
                                      int first)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n)
        level[at[k]] += samples[first + k];
}
