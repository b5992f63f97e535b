// TTI step as tti_shared, but the planes stay in local memory: a ring holds the planes from four
// below to four above those that the group computes, halo included, so that differences across
// planes are taken from local memory too, and each group reads both fields once. Every mixed
// difference still reads all its 64 points.
//
// A turn computes TURN planes: with two, a value that is read serves both. `ring` has SLOTS tiles.
// All work-items of a group load and meet at the barriers, also those with no point of their own.

#define TURN 2
#define LEVELS (2 * HALF + TURN) // planes that a turn reads
#define SLOTS (LEVELS + TURN)    // and those that arrive meanwhile

// Weights of the first and the second difference at `n` steps; n is known when the loops are
// unrolled.
float slope_weight(int n)
{
    const int d = abs(n);
    const float w = d == 1 ? D1 : d == 2 ? D2 : d == 3 ? D3 : D4;
    return n < 0 ? -w : w;
}

float bend_weight(int n)
{
    const int d = abs(n);
    return d == 0 ? C0 : d == 1 ? C1 : d == 2 ? C2 : d == 3 ? C3 : C4;
}

kernel GROUP void tti_shared_queue(ARRAYS, FIELDS, local float2 *ring)
{
    const int lx = get_local_id(0), ly = get_local_id(1), ix = get_global_id(0),
              iy = get_global_id(1);
    const int from = get_group_id(2) * CHUNK, to = min(from + CHUNK, NZ);
    int where[LOADS];
    float2 next[TURN][LOADS];
    places(where);
    for (int level = 0; level < LEVELS; level++) {
        fetch(next[0], where, p, q, from - HALF + level, level - HALF < to - from + HALF);
        store(ring + level * TILE, next[0]);
    }

    int oldest = 0; // slot of plane iz - HALF
    for (int iz = from; iz < to; iz += TURN) {
        // the planes of this turn are complete, and nobody reads those before any more
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int b = 0; b < TURN; b++) {
            const int plane = iz - HALF + LEVELS + b;
            fetch(next[b], where, p, q, plane, plane < to + HALF);
        }
        float2 now[TURN];
        Differences d[TURN];
        for (int b = 0; b < TURN; b++)
            d[b].zz = d[b].xz = d[b].yz = (float2)(0.0f, 0.0f);
#pragma unroll
        for (int level = 0; level < LEVELS; level++) {
            local const float2 *const f =
                ring + (oldest + level) % SLOTS * TILE + (ly + HALF) * PITCH + lx + HALF;
            const float2 here = f[0], fx = ODD(f, 1), fy = ODD(f, PITCH);
#pragma unroll
            for (int b = 0; b < TURN; b++) {
                const int n = level - HALF - b; // steps along z from the plane that is computed
                if (n < -HALF || n > HALF)
                    continue;
                d[b].zz += bend_weight(n) * here;
                if (n != 0) {
                    d[b].xz += slope_weight(n) * fx;
                    d[b].yz += slope_weight(n) * fy;
                } else {
                    now[b] = here;
                    d[b].xx = EVEN(f, 1);
                    d[b].yy = EVEN(f, PITCH);
                    d[b].xy = MIXED(f, 1, PITCH);
                }
            }
        }
#pragma unroll
        for (int b = 0; b < TURN; b++) {
            if (ix < NX && iy < NY && iz + b < to) {
                const int i = FIRST + (iz + b) * PLANE + iy * ROW + ix;
                const Coefficients c = ARRAYS_AT(i);
                const float2 after = advance(c, d[b], now[b], (float2)(old_p[i], old_q[i]));
                old_p[i] = after.x;
                old_q[i] = after.y;
            }
        }
#pragma unroll
        for (int b = 0; b < TURN; b++)
            store(ring + (oldest + LEVELS + b) % SLOTS * TILE, next[b]);
        oldest = (oldest + TURN) % SLOTS;
    }
}
