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
    // One tile and two barriers; the whole tile in one loop, its centre from the queue.
    __shared__ float tile[BY + 2 * H][BZ + 2 * H];
    int row = threadIdx.y + H, column = threadIdx.x + H;
#pragma unroll
    for (int l = 1; l <= 2 * H; ++l)
        queue[l] = cur[i + (l - 1 - H) * s.plane];
    for (int ix = 0; ix < s.nx; ++ix) {
#pragma unroll
        for (int l = 1; l <= 2 * H; ++l)
            queue[l - 1] = queue[l];
        queue[2 * H] = cur[i + H * s.plane];
        for (int r = threadIdx.y; r < BY + 2 * H; r += BY)
            for (int c = threadIdx.x; c < BZ + 2 * H; c += BZ) {
                bool centre = r >= H && r < BY + H && c >= H && c < BZ + H;
                if (!centre && y0 + r < s.ny + 2 * H && z0 + c < s.nz + 2 * H)
                    tile[r][c] = cur[at(s, ix, y0 + r - H, z0 + c - H)];
            }
        tile[row][column] = queue[H];
        __syncthreads();
        if (mine) {
            float lap = 3 * weight[0] * queue[H];
#pragma unroll
            for (int l = 1; l <= H; ++l)
                lap += weight[l] *
                       (queue[H - l] + queue[H + l] + tile[row - l][column] +
                        tile[row + l][column] + tile[row][column - l] + tile[row][column + l]);
            next[i] = 2 * queue[H] - next[i] + v2[i] * lap;
        }
        __syncthreads();
        i += s.plane;
    }
    // lab>
}
