// TTI step with x-y planes in local memory: for each plane of z the group loads its tile of both fields, halo of four points
// included, and takes the differences within the plane from there; those across planes still read global memory.
//
// All work-items of a group load, in one loop over the tile, and meet at the barrier, also those with no point of their own. There
// are two tiles: while some still compute from one, others may write the next.

kernel GROUP void tti_shared(ARRAYS, FIELDS)
{
    local float2 tile[2 * TILE];
    const int lx = get_local_id(0), ly = get_local_id(1), me = ly * BX + lx;
    const int x0 = get_group_id(0) * BX, y0 = get_group_id(1) * BY, ix = x0 + lx, iy = y0 + ly;
    const int from = get_group_id(2) * CHUNK, to = min(from + CHUNK, NZ);

    for (int iz = from; iz < to; iz++) {
        local float2 *const now = tile + ((iz - from) & 1) * TILE;
        const int corner = FIRST + iz * PLANE + (y0 - HALF) * ROW + x0 - HALF;
        for (int k = me; k < TILE; k += THREADS) {
            const int tx = k % PITCH, ty = k / PITCH, at = corner + ty * ROW + tx;
            const bool exists = x0 + tx < NX + 2 * HALF && y0 + ty < NY + 2 * HALF;
            now[k] = exists ? (float2)(p[at], q[at]) : (float2)(0.0f, 0.0f);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
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
            const float2 next = advance(c, d, s[0], (float2)(old_p[i], old_q[i]));
            old_p[i] = next.x;
            old_q[i] = next.y;
        }
    }
}
