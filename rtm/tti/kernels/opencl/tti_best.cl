// TTI step with mixed differences as first differences of first differences, one pass over memory.
//
// A group marches along z. Of each plane it takes, once, the first differences along x and y; those
// wait in private memory until four planes on both sides are known, and their difference along z is
// the mixed one. The difference along x of the one along y is taken within the plane, through local
// memory, where differences within the plane wait for theirs across planes, too. So each mixed
// difference costs 8 operands in place of 64. Coefficients are the axis of symmetry (ax, ay, az)
// and four squared velocities: 7 arrays in place of 10.
//
// All work-items of a group load and meet at the barriers, also those with no point of their own.

#define LEVELS (2 * HALF + 1)
// Planes per turn of the loop. With 9 the queues would move without a copy, but NVIDIA's compiler
// then takes 255 registers for a work-item in place of 127: half as many groups at a time.
#ifndef UNROLL
#define UNROLL 1
#endif
#if BX < 2 * HALF
#error "the halo of a row needs a work-item for each of its 8 points: take groups of 8 x N or wider"
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
    local float2 wait_xx[HALF * THREADS], wait_yy[HALF * THREADS], wait_xy[HALF * THREADS];
    const int lx = get_local_id(0), ly = get_local_id(1), me = ly * BX + lx;
    const int ix = get_global_id(0), iy = get_global_id(1);
    const bool inside = ix < NX && iy < NY;
    const int from = get_group_id(2) * CHUNK, to = min(from + CHUNK, NZ);
    const int mine = (ly + HALF) * PITCH + lx + HALF;
    local float2 *const my_slope = slope + ly * PITCH + lx + HALF;
    // The first work-items also take the halo columns of `slope`, 2 HALF of them in each row.
    const int side = me % (2 * HALF);
    const int halo = me / (2 * HALF) * PITCH + (side < HALF ? side : BX + side);

    int where[LOADS];
    float2 next[LOADS];
    places(where);
    fetch(next, where, p, q, from - HALF, true);
    store(tile, next);

    float2 f[LEVELS], fx[LEVELS], fy[LEVELS]; // of the latest planes
#pragma unroll
    for (int l = 0; l < LEVELS; l++)
        f[l] = fx[l] = fy[l] = (float2)(0.0f, 0.0f);
#pragma unroll UNROLL
    for (int k = 0; k < to - from + 2 * HALF; k++) {
        barrier(CLK_LOCAL_MEM_FENCE); // the tile is complete, and nobody reads `slope` any more
        local const float2 *const now = tile + (k & 1) * TILE;
        const int plane = from - HALF + k; // that entered
        fetch(next, where, p, q, plane + 1, plane + 1 < to + HALF);
        const bool out = inside && k >= 2 * HALF;
        const int i = FIRST + (plane - HALF) * PLANE + iy * ROW + ix; // the point to be computed
        float x, y, z, px, pz, sz, pn;
        float2 before;
        if (out) { // asked for here, needed behind the next barrier
            x = ax[i], y = ay[i], z = az[i];
            px = v2px[i], pz = v2pz[i], sz = v2sz[i], pn = v2pn[i];
            before = (float2)(old_p[i], old_q[i]);
        }

        const float2 new_xx = EVEN(now + mine, 1), new_yy = EVEN(now + mine, PITCH);
        const float2 new_fx = ODD(now + mine, 1), new_fy = ODD(now + mine, PITCH);
        *my_slope = new_fy;
        if (me < 2 * HALF * BY)
            slope[halo] = ODD(now + HALF * PITCH + halo, PITCH);
        push(f, now[mine]);
        push(fx, new_fx);
        push(fy, new_fy);
        barrier(CLK_LOCAL_MEM_FENCE);
        const float2 new_xy = ODD(my_slope, 1);
        // Only this work-item's own values: no barrier.
        const int slot = k % HALF * THREADS + me;
        float2 xx, yy, xy;
        if (k >= HALF)
            xx = wait_xx[slot], yy = wait_yy[slot], xy = wait_xy[slot];
        wait_xx[slot] = new_xx, wait_yy[slot] = new_yy, wait_xy[slot] = new_xy;
        if (out) {
            const Differences d = {
                xx, yy, EVEN(f + HALF, 1), xy, ODD(fy + HALF, 1), ODD(fx + HALF, 1),
            };
            const Coefficients c = {
                x * x, y * y, z * z, 2.0f * x * y, 2.0f * y * z, 2.0f * x * z, px, pz, sz, pn,
            };
            const float2 after = advance(c, d, f[HALF], before);
            old_p[i] = after.x;
            old_q[i] = after.y;
        }
        store(tile + ((k + 1) & 1) * TILE, next);
    }
}
