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
    // two in turn, so that one barrier for each plane is enough
    __shared__ float tiles[2][BY + 2 * H][BZ + 2 * H];
    int row = threadIdx.y + H, column = threadIdx.x + H;
    // The first 2 H threads along each axis fetch that axis' halo.
    int halo_row = threadIdx.y < H ? threadIdx.y : BY + threadIdx.y;
    int halo_column = threadIdx.x < H ? threadIdx.x : BZ + threadIdx.x;
    bool fetch_row = threadIdx.y < 2 * H && y0 + halo_row < s.ny + 2 * H && inside;
    bool fetch_column = threadIdx.x < 2 * H && z0 + halo_column < s.nz + 2 * H && iy < s.ny + H;
#pragma unroll
    for (int l = 0; l < 2 * H; ++l)
        queue[l + 1] = cur[i + (l - H) * s.plane];
    for (int ix = 0; ix < s.nx; ++ix, i += s.plane) {
#pragma unroll
        for (int l = 0; l < 2 * H; ++l)
            queue[l] = queue[l + 1];
        queue[2 * H] = cur[i + H * s.plane];
        float(*tile)[BZ + 2 * H] = tiles[ix % 2];
        tile[row][column] = queue[H];
        if (fetch_row)
            tile[halo_row][column] = cur[at(s, ix, y0 + halo_row - H, iz)];
        if (fetch_column)
            tile[row][halo_column] = cur[at(s, ix, iy, z0 + halo_column - H)];
        __syncthreads();
        if (mine) {
            float lap = 3 * weight[0] * queue[H];
#pragma unroll
            for (int l = 1; l <= H; ++l) {
                lap += weight[l] * (queue[H - l] + queue[H + l]);
                lap += weight[l] * (tile[row - l][column] + tile[row + l][column]);
                lap += weight[l] * (tile[row][column - l] + tile[row][column + l]);
            }
            next[i] = 2 * queue[H] - next[i] + v2[i] * lap;
        }
    }
    //~ // 1. Before the march: queue[1] .. queue[2 H] of plane 0 (after the first shift they are
    //~ //    where they belong).
    //~ // 2. In each plane: shift the queue, load one new value. The tile: the centre from
    //~ //    queue[H], only its halo from memory.
    //~ // 3. Barrier, step. May a fast warp overwrite the tile while a slow one still reads it?
    // lab>
}
