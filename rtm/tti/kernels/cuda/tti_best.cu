// TTI step with mixed differences as first differences of first differences, one pass over memory.
//
// A block marches along z. Of each plane it takes, once, the first differences along x and y; those
// of x and y wait in registers until four planes on both sides are known, and their difference
// along z is the mixed one. The difference along x of the one along y is taken within the plane,
// through shared memory. So each mixed difference costs 8 operands in place of 64.
//
// What holds such a kernel is not arithmetic but to have enough of memory on its way. So
// * a point has few numbers, which come by few and wide loads: both fields lie side by side as
//   pairs (p, q), and the medium is four numbers and two (see Point);
// * tiles go to shared memory without a register to wait in, two planes ahead;
// * the medium and the level before are loaded a plane ahead, and asked into the second-level cache
//   a plane before that.
//
// Volumes as in tti.cuh, of pairs; `old` holds the level before and becomes the next. Block BX x
// BY, grid (columns, chunks of z).

#ifndef BX
#define BX 32
#endif
#ifndef BY
#define BY 4
#endif
// As many blocks on a multiprocessor as leave 128 registers for a thread.
#ifndef MIN_BLOCKS
#define MIN_BLOCKS (BX * BY > 512 ? 1 : 512 / (BX * BY))
#endif
// Planes per turn of the loop: with 9 the queues move without a copy.
#ifndef UNROLL
#define UNROLL 9
#endif
#ifndef ASYNC
#define ASYNC 0
#endif

#include "tti_tile.cuh"

#if BX % 2 || BX < 2 * HALF
#error "two points are copied at a time, and a row's halo takes 8 threads: take BX 8, 10, 12, ..."
#endif

#define LEVELS (2 * HALF + 1)
#define AHEAD 2 // planes between the copy of a tile and its use
#define TILES (AHEAD + 1)
#define COPIES ((TILE / 2 + THREADS - 1) / THREADS) // of 16 bytes, two points, by each thread

// The queues: the newest plane enters at the end.
__device__ __forceinline__ void push(float2 *queue, float2 value)
{
#pragma unroll
    for (int l = 0; l < LEVELS - 1; l++)
        queue[l] = queue[l + 1];
    queue[LEVELS - 1] = value;
}

// Copies two points from global to shared memory. With -DASYNC=1 (compute capability 8.0 or more)
// the copy is only begun; copies are counted in groups, and `arrived` waits for all of the calling
// thread but those of the latest AHEAD - 1 groups.
__device__ __forceinline__ void copy(float2 *to, const float2 *from)
{
#if ASYNC
    const unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
#else
    *(float4 *)to = *(const float4 *)from;
#endif
}

__device__ __forceinline__ void end_of_group()
{
#if ASYNC
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

__device__ __forceinline__ void arrived()
{
#if ASYNC
    asm volatile("cp.async.wait_group %0;" ::"n"(AHEAD - 1) : "memory");
#endif
}

// Copies this thread's share of a tile if it is `wanted`, and goes on to the next plane.
__device__ __forceinline__ void bring(const Grid &g, float2 *tile, const float2 *level, int *source,
                                      bool wanted)
{
    const int me = threadIdx.y * BX + threadIdx.x;
#pragma unroll
    for (int c = 0; c < COPIES; c++) {
        if (me + c * THREADS < TILE / 2 && wanted)
            copy(tile + 2 * (me + c * THREADS), level + source[c]);
        source[c] += PLANE;
    }
    end_of_group();
}

// Asks for 32 bytes, a sector of the second-level cache; nobody waits for them.
__device__ __forceinline__ void ask_for(const char *sector)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(sector));
}

// What a point has besides its differences: the level before, and the medium. First of that comes
// the axis of symmetry, as long as a P wave runs along it in a step, counted in spacings: a unit
// vector times dt vpz / dx, dt vpz / dy, dt vpz / dz. `fast` is vpx^2 / vpz^2, `slow` vpn^2 / vpz^2
// and `shear` vsz^2 / vpz^2. So seven numbers are six, and no spacing or time step is left to
// multiply with.
struct Point {
    float4 axis_shear;
    float2 fast_slow, before;
};

// The next level. With h1 = dt^2 vpz^2 H1, which is the second difference along that vector, and
// h2 = dt^2 vpz^2 H2, what is left of the Laplacian, the equations are
//     dt^2 p_tt = fast h2(p) + h1(q) + shear (h1(p) - h1(q))
//     dt^2 q_tt = slow h2(p) + h1(q) - shear (h2(p) - h2(q))
// Only the last sum rounds at the size of the field, as in `advance`.
__device__ __forceinline__ float2 next_level(const Grid &g, const Point &point,
                                             const Differences &d, float2 now)
{
    const float4 a = point.axis_shear;
    const float fast = point.fast_slow.x, slow = point.fast_slow.y, shear = a.w;
    const float xx = a.x * a.x, yy = a.y * a.y, zz = a.z * a.z;
    const float xy = 2.0f * a.x * a.y, xz = 2.0f * a.x * a.z, yz = 2.0f * a.y * a.z;
    const float v2 = xx * g.x2 + yy * g.y2 + zz * g.z2; // dt^2 vpz^2
    const float h1p =
        xx * d.xx.x + yy * d.yy.x + zz * d.zz.x + xy * d.xy.x + yz * d.yz.x + xz * d.xz.x;
    const float h1q =
        xx * d.xx.y + yy * d.yy.y + zz * d.zz.y + xy * d.xy.y + yz * d.yz.y + xz * d.xz.y;
    const float h2p = v2 * (g.xx * d.xx.x + g.yy * d.yy.x + g.zz * d.zz.x) - h1p;
    const float h2q = v2 * (g.xx * d.xx.y + g.yy * d.yy.y + g.zz * d.zz.y) - h1q;
    float2 next;
    next.x = now.x + ((now.x - point.before.x) + (fast * h2p + h1q + shear * (h1p - h1q)));
    next.y = now.y + ((now.y - point.before.y) + (slow * h2p + h1q - shear * (h2p - h2q)));
    return next;
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
tti_best(Grid g, const float4 *__restrict__ axis_shear, const float2 *__restrict__ fast_slow,
         const float2 *__restrict__ level, float2 *__restrict__ old)
{
    __shared__ __align__(16) float2 tile[TILES][TILE];
    __shared__ float2 slope[BY * PITCH]; // first differences along y, with a halo along x
    // Where xx, yy and xy of the latest HALF planes wait for their differences across planes.
    __shared__ float2 wait[3][HALF * THREADS];
    const int ix = blockIdx.x * BX + threadIdx.x, iy = blockIdx.y * BY + threadIdx.y;
    const bool inside = ix < g.nx && iy < g.ny;
    const int me = threadIdx.y * BX + threadIdx.x;
    const int mine = (threadIdx.y + HALF) * PITCH + threadIdx.x + HALF;
    float2 *const my_slope = slope + threadIdx.y * PITCH + threadIdx.x + HALF;
    // The first threads also take the halo columns of `slope`, 2 HALF of them in each row.
    const int side = me % (2 * HALF);
    const int halo = me / (2 * HALF) * PITCH + (side < HALF ? side : BX + side);
    const int from = blockIdx.z * g.chunk, to = min(from + g.chunk, g.nz);
    const int planes = to - from + 2 * HALF; // that enter: HALF more on both sides

    // The points that this thread copies. Beyond the volume nobody needs them: the last ones again.
    int source[COPIES];
#pragma unroll
    for (int c = 0; c < COPIES; c++) {
        const int k = me + c * THREADS, ty = k / (PITCH / 2), tx = k % (PITCH / 2) * 2;
        const int x = min((int)blockIdx.x * BX - HALF + tx, (g.nx + HALF - 1) / 2 * 2);
        const int y = min((int)blockIdx.y * BY - HALF + ty, g.ny + HALF - 1);
        source[c] = g.first + (from - HALF) * PLANE + y * ROW + x;
    }
#pragma unroll
    for (int k = 0; k < AHEAD; k++)
        bring(g, tile[k], level, source, true);

    unsigned waiting = me; // the oldest
    for (int k = 0; k < HALF; k++)
        wait[0][k * THREADS + me] = wait[1][k * THREADS + me] = wait[2][k * THREADS + me] =
            make_float2(0.0f, 0.0f);
    int i = g.first + from * PLANE + iy * ROW + ix; // the point that is computed next
    // What a warp's 32 points need in two planes' time is 16 sectors of `axis_shear`, 8 of
    // `fast_slow` and 8 of `old`: each thread asks for one.
    const int lane = me % 32, asked = me - lane + (lane < 16 ? 2 * lane : lane % 8 * 4);
    const int at = g.first + (from + 2) * PLANE + ((int)blockIdx.y * BY + asked / BX) * ROW +
                   (int)blockIdx.x * BX + asked % BX;
    const char *sector = (const char *)(axis_shear + at);
    if (lane >= 16)
        sector = lane < 24 ? (const char *)(fast_slow + at) : (const char *)(old + at);
    const long long to_next_plane = (long long)PLANE * (lane < 16 ? 16 : 8);
    Point point = {};
    if (inside)
        point = {axis_shear[i], fast_slow[i], old[i]};
    float2 f[LEVELS] = {}, fx[LEVELS] = {}, fy[LEVELS] = {};
#pragma unroll UNROLL
    for (int k = 0; k < planes; k++) {
        arrived();
        __syncthreads(); // the tile is complete, and nobody reads `slope` or the tile before
        const float2 *const now = tile[k % TILES];
        bring(g, tile[(k + AHEAD) % TILES], level, source, k + AHEAD < planes);
        ask_for(sector);
        sector += k >= 2 * HALF ? to_next_plane : 0;

        const float2 new_xx = even(now + mine, 1), new_yy = even(now + mine, PITCH);
        const float2 new_fx = odd(now + mine, 1), new_fy = odd(now + mine, PITCH);
        *my_slope = new_fy;
        if (me < 2 * HALF * BY)
            slope[halo] = odd(now + halo + HALF * PITCH, PITCH);
        push(f, now[mine]);
        push(fx, new_fx);
        push(fy, new_fy);
        __syncthreads();
        const float2 new_xy = odd(my_slope, 1);
        // Only this thread's own values: no barrier.
        const Differences d = {wait[0][waiting], wait[1][waiting], even(f + HALF, 1),
                               wait[2][waiting], odd(fy + HALF, 1), odd(fx + HALF, 1)};
        wait[0][waiting] = new_xx, wait[1][waiting] = new_yy, wait[2][waiting] = new_xy;
        waiting = (waiting + THREADS) % (HALF * THREADS);
        // While the first 2 HALF planes enter, this is no point's level. It is computed even so:
        // without a branch the compiler can mix it with what stands above.
        const float2 after = next_level(g, point, d, f[HALF]);
        if (inside && k >= 2 * HALF)
            old[i] = after;
        if (k >= 2 * HALF && k + 1 < planes)
            i += PLANE;
        if (inside)
            point = {axis_shear[i], fast_slow[i], old[i]};
    }
}

// The source acts on both fields.
extern "C" __global__ void tti_inject_pair(float2 *level, int at, float value)
{
    level[at].x += value;
    level[at].y += value;
}
