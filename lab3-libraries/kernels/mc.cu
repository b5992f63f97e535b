// Exercise 3.1.3: random points, and how many of them lie in the unit ball.
//
// x, y, z: n numbers each. A thread takes points i, i + T, i + 2T, ... where T is the number of
// threads of the grid, so that 64 blocks are enough for any n, and neighbours in a warp read
// neighbours in memory.

// State i + 1 of minstd from the seed: 48271^(i+1) * seed mod (2^31 - 1).
__device__ unsigned minstd(unsigned long long i, unsigned seed)
{
    // <lab
    return 1;
    // lab>
}

// Element i of the sequence in [a, b): in double, rounded once, as on the host.
__device__ float uniform(unsigned long long i, unsigned seed, float a, float b)
{
    // <lab
    return a;
    // lab>
}

// Point i has the elements i, n + i and 2n + i of one sequence.
extern "C" __global__ void mc_gen(float *x, float *y, float *z, unsigned long long n, unsigned seed,
                                  float a, float b)
{
    // <lab
    // lab>
}

// Adds the number of points with x^2 + y^2 + z^2 <= 1 to *hits. Blocks have 256 threads; all of
// them must reach the barrier.
extern "C" __global__ void mc_hits(const float *x, const float *y, const float *z,
                                   unsigned long long n, unsigned long long *hits)
{
    __shared__ unsigned long long partial[8]; // one for each warp
    // <lab
    // 1. Count the points i, i + T, i + 2T, ... of this thread.
    // 2. Sum over the warp with __shfl_down_sync.
    // 3. Sum over the block through partial.
    // 4. One atomicAdd for the block.
    partial[0] = 0;
    // lab>
}
