// TTI step with x-y planes in local memory: for each plane of z the group loads its tile of both
// fields, halo of four points included, and takes the differences within the plane from there;
// those across planes still read global memory.
//
// All work-items of a group load and meet at the barrier, also those with no point of their own.
// There are two tiles: while one is computed from, the loads of the next are on their way.

kernel GROUP void tti_shared(ARRAYS, FIELDS)
{
    local float2 tile[2 * TILE];
    const int lx = get_local_id(0), ly = get_local_id(1), ix = get_global_id(0),
              iy = get_global_id(1);
    const int from = get_group_id(2) * CHUNK, to = min(from + CHUNK, NZ);
    int where[LOADS];
    float2 next[LOADS];
    places(where);
    fetch(next, where, p, q, from, true);
    for (int iz = from; iz < to; iz++) {
        local float2 *const now = tile + ((iz - from) & 1) * TILE;
        store(now, next);
        barrier(CLK_LOCAL_MEM_FENCE);
        fetch(next, where, p, q, iz + 1, iz + 1 < to);
        if (ix < NX && iy < NY) {
            const int i = FIRST + iz * PLANE + iy * ROW + ix;
            local const float2 *const s = now + (ly + HALF) * PITCH + lx + HALF;
            global const float *const u = p + i, *const v = q + i;
            const Differences d = {
                EVEN(s, 1),
                EVEN(s, PITCH),
                (float2)(EVEN(u, PLANE), EVEN(v, PLANE)),
                MIXED(s, 1, PITCH),
                (float2)(MIXED(u, ROW, PLANE), MIXED(v, ROW, PLANE)),
                (float2)(MIXED(u, 1, PLANE), MIXED(v, 1, PLANE)),
            };
            const Coefficients c = ARRAYS_AT(i);
            const float2 after = advance(c, d, s[0], (float2)(old_p[i], old_q[i]));
            old_p[i] = after.x;
            old_q[i] = after.y;
        }
    }
}
