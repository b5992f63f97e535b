// TTI step with mixed differences as first differences of first differences, one pass over memory.
//
// A group marches along z. Of each plane it takes, once, the first differences along x and y; those
// wait in private memory until four planes on both sides are known, and their difference along z is
// the mixed one. The difference along x of the one along y is taken within the plane, through local
// memory. So each mixed difference costs 8 operands in place of 64. Coefficients are the axis of
// symmetry (ax, ay, az) and four squared velocities: 7 arrays in place of 10.
//
// All work-items of a group load and meet at the barriers, also those with no point of their own.

#define LEVELS (2 * HALF + 1)
// Planes per turn of the loop: with 9 the queues move without a copy.
#ifndef UNROLL
#define UNROLL 9
#endif

// The queues: the newest plane enters at the end.
void push(float2 *queue, float2 value)
{
#pragma unroll
    for (int l = 0; l < LEVELS - 1; l++)
        queue[l] = queue[l + 1];
    queue[LEVELS - 1] = value;
}

kernel GROUP void tti_best(global const float *restrict ax, global const float *restrict ay,
                           global const float *restrict az, global const float *restrict v2px,
                           global const float *restrict v2pz, global const float *restrict v2sz,
                           global const float *restrict v2pn, FIELDS)
{
    local float2 tile[2 * TILE];
    local float2 slope[BY * PITCH]; // first differences along y, with a halo along x
    const int lx = get_local_id(0), ly = get_local_id(1), me = ly * BX + lx;
    const int ix = get_global_id(0), iy = get_global_id(1);
    const int from = get_group_id(2) * CHUNK, to = min(from + CHUNK, NZ);

    float2 f[LEVELS], fx[LEVELS], fy[LEVELS]; // of the latest planes
    // Until their plane is the one to be computed; the older half is never read.
    float2 wait_xx[LEVELS], wait_yy[LEVELS], wait_xy[LEVELS];
#pragma unroll
    for (int l = 0; l < LEVELS; l++)
        f[l] = fx[l] = fy[l] = wait_xx[l] = wait_yy[l] = wait_xy[l] = (float2)(0.0f, 0.0f);

    int where[LOADS];
    float2 next[LOADS];
    places(where);
    fetch(next, where, p, q, from - HALF, true);
#pragma unroll UNROLL
    for (int k = 0; k < to - from + 2 * HALF; k++) {
        const int plane = from - HALF + k; // that enters
        local float2 *const now = tile + (k & 1) * TILE;
        store(now, next);
        barrier(CLK_LOCAL_MEM_FENCE); // the tile is complete, and nobody reads `slope` any more
        fetch(next, where, p, q, plane + 1, plane + 1 < to + HALF);
        local const float2 *const mine = now + (ly + HALF) * PITCH + lx + HALF;
        local float2 *const my_slope = slope + ly * PITCH + lx + HALF;
        const float2 new_fx = ODD(mine, 1), new_fy = ODD(mine, PITCH);
        *my_slope = new_fy;
        // The first work-items also take the halo columns, 2 HALF of them in each row.
        for (int j = me; j < 2 * HALF * BY; j += THREADS) {
            const int side = j % (2 * HALF),
                      at = j / (2 * HALF) * PITCH + (side < HALF ? side : BX + side);
            local const float2 *const there = now + HALF * PITCH + at;
            slope[at] = ODD(there, PITCH);
        }
        push(f, mine[0]);
        push(fx, new_fx);
        push(fy, new_fy);
        push(wait_xx, EVEN(mine, 1));
        push(wait_yy, EVEN(mine, PITCH));
        barrier(CLK_LOCAL_MEM_FENCE);
        push(wait_xy, ODD(my_slope, 1));
        if (k >= 2 * HALF && ix < NX && iy < NY) {
            const int i = FIRST + (plane - HALF) * PLANE + iy * ROW + ix;
            const Differences d = {
                wait_xx[HALF], wait_yy[HALF],     EVEN(f + HALF, 1),
                wait_xy[HALF], ODD(fy + HALF, 1), ODD(fx + HALF, 1),
            };
            const float x = ax[i], y = ay[i], z = az[i];
            const Coefficients c = {
                x * x,        y * y,   z * z,   2.0f * x * y, 2.0f * y * z,
                2.0f * x * z, v2px[i], v2pz[i], v2sz[i],      v2pn[i],
            };
            const float2 after = advance(c, d, f[HALF], (float2)(old_p[i], old_q[i]));
            old_p[i] = after.x;
            old_q[i] = after.y;
        }
    }
}
