// TTI step as in the mini-app: each work-item owns a column, all 25 + 3 * 64 points of each field
// are read from global memory, and ten arrays hold the coefficients.

kernel GROUP void tti_base(ARRAYS, FIELDS)
{
    const int ix = get_global_id(0), iy = get_global_id(1), from = get_group_id(2) * CHUNK,
              to = min(from + CHUNK, NZ);
    if (ix >= NX || iy >= NY)
        return;
    int i = FIRST + from * PLANE + iy * ROW + ix;
    for (int iz = from; iz < to; iz++, i += PLANE) {
        global const float *const u = p + i, *const v = q + i;
        const Differences d = {
            (float2)(EVEN(u, 1), EVEN(v, 1)),
            (float2)(EVEN(u, ROW), EVEN(v, ROW)),
            (float2)(EVEN(u, PLANE), EVEN(v, PLANE)),
            (float2)(MIXED(u, 1, ROW), MIXED(v, 1, ROW)),
            (float2)(MIXED(u, ROW, PLANE), MIXED(v, ROW, PLANE)),
            (float2)(MIXED(u, 1, PLANE), MIXED(v, 1, PLANE)),
        };
        const Coefficients c = ARRAYS_AT(i);
        const float2 next = advance(c, d, (float2)(*u, *v), (float2)(old_p[i], old_q[i]));
        old_p[i] = next.x;
        old_q[i] = next.y;
    }
}
