// TTI step with mixed differences as first differences of first differences, one pass over memory.
//
// A group marches along z. Of each plane it takes, once, the first differences along x and y; those
// wait in private memory until four planes on both sides are known, and their difference along z is
// the mixed one. The difference along x of the one along y is taken within the plane, through local
// memory, where differences within the plane wait for theirs across planes, too. So each mixed
// difference costs 8 operands in place of 64. The medium is six numbers, four and two side by side.
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

// The next level. The medium is the axis of symmetry, as long as a P wave runs along it in a step,
// counted in spacings (a unit vector times dt vpz / dx, dt vpz / dy, dt vpz / dz), with
// shear = vsz^2 / vpz^2; and fast = vpx^2 / vpz^2, slow = vpn^2 / vpz^2. With h1 = dt^2 vpz^2 H1,
// which is the second difference along that vector, and h2 = dt^2 vpz^2 H2, what is left of the
// Laplacian, the equations are
//     dt^2 p_tt = fast h2(p) + h1(q) + shear (h1(p) - h1(q))
//     dt^2 q_tt = slow h2(p) + h1(q) - shear (h2(p) - h2(q))
float2 next_level(const float4 axis_shear, const float2 fast_slow, const Differences d,
                  const float2 now, const float2 before)
{
    const float4 a = axis_shear, a2 = a * a;
    const float2 h1 = a2.x * d.xx + a2.y * d.yy + a2.z * d.zz + (2.0f * a.x * a.y) * d.xy +
                      (2.0f * a.y * a.z) * d.yz + (2.0f * a.x * a.z) * d.xz;
    const float v2 = a2.x * X2 + a2.y * Y2 + a2.z * Z2; // dt^2 vpz^2
    const float2 h2 = v2 * (XX * d.xx + YY * d.yy + ZZ * d.zz) - h1;
    const float2 change = fast_slow * h2.x + h1.y + a.w * (float2)(h1.x - h1.y, h2.y - h2.x);
    return now + ((now - before) + change);
}

// As `fetch` of tti.cl, from pairs.
void fetch_pairs(float2 *next, const int *where, global const float2 *restrict level, int iz,
                 bool wanted)
{
#pragma unroll
    for (int l = 0; l < LOADS; l++) {
        const int at = where[l] + iz * PLANE;
        next[l] = wanted && where[l] != NOWHERE ? level[at] : (float2)(0.0f, 0.0f);
    }
}

// Both levels are pairs (p, q).
kernel GROUP void tti_best(global const float4 *restrict axis_shear,
                           global const float2 *restrict fast_slow,
                           global const float2 *restrict level, global float2 *restrict old)
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
    fetch_pairs(next, where, level, from - HALF, true);
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
        fetch_pairs(next, where, level, plane + 1, plane + 1 < to + HALF);
        const bool out = inside && k >= 2 * HALF;
        const int i = FIRST + (plane - HALF) * PLANE + iy * ROW + ix; // the point to be computed
        float4 four;
        float2 two, before;
        if (out) { // asked for here, needed behind the next barrier
            four = axis_shear[i], two = fast_slow[i], before = old[i];
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
            old[i] = next_level(four, two, d, f[HALF], before);
        }
        store(tile + ((k + 1) & 1) * TILE, next);
    }
}

// The source acts on both fields.
kernel void tti_inject_pair(global float2 *level, int at, float value)
{
    level[at] += value;
}
