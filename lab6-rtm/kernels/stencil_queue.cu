// Exercise 6.4: a thread marches along x with the 2 H + 1 values around its point in registers.
//
// next, cur, v2 as in stencil_naive.cu. A block of BZ x BY threads owns BZ x BY lines along x:
// threadIdx.x counts z, threadIdx.y counts y. queue[H] is the thread's point of plane ix, queue[H -
// l] and queue[H + l] are those l planes before and behind it. The tile is the plane that the block
// is at. Barriers: all threads of a block march, those beyond the grid too.
#include "wave.cuh"

#define BZ 32
#define BY 8 // at least 2 H, so that there is a thread for each row of the halo

__constant__ float weight[H + 1];

extern "C" __global__ void stencil_queue(float *next, const float *cur, const float *v2,
                                         const Shape s)
{
    int z0 = blockIdx.x * BZ, y0 = blockIdx.y * BY; // the block's first line
    int iz = z0 + threadIdx.x, iy = y0 + threadIdx.y;
    bool mine = iy < s.ny && iz < s.nz;
    // Lines of zeros beyond the grid are read as all others; what is farther away is neighbour of
    // nobody.
    bool inside = iy < s.ny + H && iz < s.nz + H;
    int i = at(s, 0, inside ? iy : 0, inside ? iz : 0);
    float queue[2 * H + 1];
    // <lab
    // 1. Before the march: queue[1] .. queue[2 H] of plane 0 (after the first shift they are
    //    where they belong).
    // 2. In each plane: shift the queue, load one new value. The tile: the centre from
    //    queue[H], only its halo from memory.
    // 3. Barrier, step. May a fast warp overwrite the tile while a slow one still reads it?
    // lab>
}
