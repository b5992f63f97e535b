// A thread computes points along an axis, `chunk` of them; the block covers z and the third axis.
// What a block needs of the plane it is at comes from a tile in shared memory, what lies before and
// behind along the march from a queue in registers.
#include "volume.cuh"

extern __shared__ __align__(16) unsigned char shared_bytes[];

// Marches along x (ALONG_X) or y. QUEUE: neighbours along the march in registers. TILE: the others
// in shared memory.
template <bool ALONG_X, bool QUEUE, bool TILE>
__device__ __forceinline__ void march(STEP_PARAMETERS)
{
    const int width = blockDim.x + 2 * H, height = blockDim.y + 2 * H;
    const int size = TILE ? width * height : 0;
    // Two tiles, so that one barrier for each plane is enough.
    REAL *tiles = (REAL *)shared_bytes;
    const long long ahead = ALONG_X ? s.plane : s.stride;   // to the next point of the march
    // to the next point of the block's second axis
    const long long beside = ALONG_X ? s.stride : s.plane;
    const int first = (ALONG_X ? box.x0 : box.y0) + blockIdx.z * chunk;
    const int end = min(first + chunk, ALONG_X ? box.x1 : box.y1);
    const int t0 = (ALONG_X ? box.y0 : box.x0) + blockIdx.y * blockDim.y;
    const int z0 = box.z0 + blockIdx.x * blockDim.x;
    const int t = t0 + threadIdx.y, iz = z0 + threadIdx.x;
    const bool mine = t < (ALONG_X ? box.y1 : box.x1) && iz < box.z1;
    const int t_end = (ALONG_X ? s.ny : s.nx) + H, z_end = s.nz + H;
    const long long corner = ALONG_X ? at(s, first, t0 - H, z0 - H) : at(s, t0 - H, first, z0 - H);
    // Threads beyond the box read the last point of it and write nothing.
    const int safe_t = min(t, (ALONG_X ? box.y1 : box.x1) - 1), safe_z = min(iz, box.z1 - 1);
    long long i = ALONG_X ? at(s, first, safe_t, safe_z) : at(s, safe_t, first, safe_z);
    REAL queue[QUEUE ? 2 * H + 1 : 1];
    if (QUEUE) {
#pragma unroll
        for (int l = 0; l < 2 * H; ++l)
            queue[l + 1] = cur[i + (l - H) * ahead];
    }
    for (int k = first; k < end; ++k, i += ahead) {
        if (QUEUE) {
#pragma unroll
            for (int l = 0; l < 2 * H; ++l)
                queue[l] = queue[l + 1];
            queue[2 * H] = cur[i + H * ahead];
        }
        REAL *tile = tiles + ((k - first) & 1) * size;
        if (TILE) {
            for (int row = threadIdx.y; row < height; row += blockDim.y)
                for (int column = threadIdx.x; column < width; column += blockDim.x) {
                    const bool inside = t0 - H + row < t_end && z0 - H + column < z_end;
                    const bool own =
                        QUEUE && mine && row == threadIdx.y + H && column == threadIdx.x + H;
                    tile[row * width + column] =
                        own      ? queue[H]
                        : inside ? cur[corner + (k - first) * ahead + row * beside + column]
                                 : REAL(0);
                }
            __syncthreads();
        }
        if (mine) {
            const REAL *c = TILE ? tile + (threadIdx.y + H) * width + threadIdx.x + H : cur + i;
            const long long step = TILE ? width : beside;
            REAL lap = w.centre * c[0];
#pragma unroll
            for (int l = 1; l <= H; ++l) {
                const REAL near = QUEUE ? queue[H - l] : cur[i - l * ahead];
                const REAL far = QUEUE ? queue[H + l] : cur[i + l * ahead];
                const REAL marched = PAIR(w.second[ALONG_X ? 0 : 1][l - 1], near, far);
                const REAL across =
                    PAIR(w.second[ALONG_X ? 1 : 0][l - 1], c[-l * step], c[l * step]);
                lap += ALONG_X ? marched : across;
                lap += ALONG_X ? across : marched;
                lap += PAIR(w.second[2][l - 1], c[-l], c[l]);
            }
            next[i] = flushed((c[0] + c[0] - prev[i]) + v2[i] * lap);
        }
    }
}

#define ALL next, cur, prev, v2, s, box, w, table, chunk

// 7: the queue along y; neighbours along x and z through the caches.
extern "C" __global__ void stencil_march_y_queue(STEP_PARAMETERS)
{ march<false, true, false>(ALL); }

// 8: the tile of x and z; neighbours along y through the caches.
extern "C" __global__ void stencil_march_y_tile(STEP_PARAMETERS) { march<false, false, true>(ALL); }

// 9, improved: both, as in the thesis.
extern "C" __global__ void stencil_improved(STEP_PARAMETERS) { march<false, true, true>(ALL); }

// 10: the same along x, so that the tile's rows are neighbours in memory, too.
extern "C" __global__ void stencil_march_x(STEP_PARAMETERS) { march<true, true, true>(ALL); }

// 2, in-plane (Tang et al. 2013): each plane is loaded once, into shared memory, and gives at once
// all that it contributes: the whole Laplacian within the plane, and a share of the H planes before
// and the H behind. So the queue holds unfinished sums instead of values, and the order of the
// sums, hence the rounding, is another one.
extern "C" __global__ void stencil_in_plane(STEP_PARAMETERS)
{
    REAL *tiles = (REAL *)shared_bytes;
    const int width = blockDim.x + 2 * H, height = blockDim.y + 2 * H, size = width * height;
    const long long ahead = s.stride, beside = s.plane;
    const int first = box.y0 + blockIdx.z * chunk, end = min(first + chunk, box.y1);
    const int t0 = box.x0 + blockIdx.y * blockDim.y, z0 = box.z0 + blockIdx.x * blockDim.x;
    const int t = t0 + threadIdx.y, iz = z0 + threadIdx.x;
    const bool mine = t < box.x1 && iz < box.z1;
    const int t_end = s.nx + H, z_end = s.nz + H;
    const long long corner = at(s, t0 - H, first, z0 - H);
    const long long own = at(s, min(t, box.x1 - 1), first, min(iz, box.z1 - 1));
    REAL sums[2 * H + 1];    // Laplacians of the planes k - H .. k + H, unfinished
    REAL values[H + 1];      // cur of the planes k - H .. k
#pragma unroll
    for (int l = 0; l <= 2 * H; ++l)
        sums[l] = 0;
#pragma unroll
    for (int l = 0; l <= H; ++l)
        values[l] = 0;
    for (int k = first - H; k < end + H; ++k) {
#pragma unroll
        for (int l = 0; l < 2 * H; ++l)
            sums[l] = sums[l + 1];
        sums[2 * H] = 0;
#pragma unroll
        for (int l = 0; l < H; ++l)
            values[l] = values[l + 1];
        REAL *tile = tiles + ((k - first) & 1) * size;
        for (int row = threadIdx.y; row < height; row += blockDim.y)
            for (int column = threadIdx.x; column < width; column += blockDim.x) {
                const bool inside = t0 - H + row < t_end && z0 - H + column < z_end;
                tile[row * width + column] =
                    inside ? cur[corner + (k - first) * ahead + row * beside + column] : REAL(0);
            }
        __syncthreads();
        const REAL *c = tile + (threadIdx.y + H) * width + threadIdx.x + H;
        values[H] = c[0];
        REAL lap = w.centre * c[0];
#pragma unroll
        for (int l = 1; l <= H; ++l) {
            lap += PAIR(w.second[0][l - 1], c[-l * width], c[l * width]);
            lap += PAIR(w.second[2][l - 1], c[-l], c[l]);
            sums[H - l] += w.second[1][l - 1] * c[0];
            sums[H + l] += w.second[1][l - 1] * c[0];
        }
        sums[H] += lap;
        // The plane H before this one has now everything.
        const int done = k - H;
        if (mine && done >= first) {
            const long long i = own + (done - first) * ahead;
            next[i] = flushed((values[0] + values[0] - prev[i]) + v2[i] * sums[0]);
        }
    }
}
