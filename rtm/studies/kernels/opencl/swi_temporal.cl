// V6: STEPS time steps in one pass over memory. Each step has a window of its own; what it computes
// goes into the next one, R planes further back. A tile's valid part shrinks by R cells a step, so
// tiles overlap by 2 R STEPS. Writes the two newest levels.
#define MARGIN (R * STEPS)
#define VEL_TAPS_USED ((STEPS - 1) * R * WINDOW_PLANE)

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
swi_temporal(global float *restrict out, global float *restrict out_before,
             const global float *restrict ppf, const global float *restrict cpf,
             const global float *restrict vel, int dimx, int dimy, int dimz,
             int padding COEFF_PARAM COUNTS_PARAM)
{
    out += padding;
    out_before += padding;
    ppf += padding;
    cpf += padding;
    vel += padding;
    const int plane = dimx * dimy, limit = plane * dimz;
    const int step_x = DX - 2 * MARGIN, step_y = DY - 2 * MARGIN;
    const int tiles_x = dimx > DX ? 1 + (dimx - DX + step_x - 1) / step_x : 1;
    const int tiles_y = dimy > DY ? 1 + (dimy - DY + step_y - 1) / step_y : 1;
    float windows[STEPS * TAPS], scaled_window[VEL_TAPS];
    for (int i = 0; i < STEPS * TAPS; i++) windows[i] = 0.0f;
    for (int i = 0; i < VEL_TAPS; i++) scaled_window[i] = 0.0f;

    int head = 0, vel_head = 0, tile = 0, xt = 0, yt = 0, zt = 0;
    while (tile < tiles_x * tiles_y) {
        COUNTED(ITERATIONS);
        const int x = tile % tiles_x * step_x, y = tile / tiles_x * step_y, xo = x + xt,
                  yo = y + yt;
        head = (head + P) & (TAPS - 1);
        vel_head = (vel_head + P) & (VEL_TAPS - 1);
        // The newest cells of the next window; the levels before them.
        float fresh[P], old[P];
        const int in = zt * plane + yo * dimx + xo, o = in - R * plane;
        for (int j = 0; j < P; j++) {
            const bool there = o + j >= 0 && o + j < limit;
            fresh[j] = in + j < limit ? LOAD(cpf, in + j, NEW_PLANE) : 0.0f;
            old[j] = there ? LOAD(ppf, o + j, OLD) : 0.0f;
            scaled_window[(vel_head + VEL_TAPS_USED + j) & (VEL_TAPS - 1)] =
                there ? LOAD(vel, o + j, VELOCITY) : 0.0f;
        }
        for (int s = 0; s < STEPS; s++) {
            private float *taps = windows + s * TAPS;
            const int zo = zt - (s + 1) * R;
            const bool rows = yo >= R && yo < dimy - R && zo >= R && zo < dimz - R;
            for (int j = 0; j < P; j++) TAP(2 * CENTRE + j) = fresh[j];
            for (int j = 0; j < P; j++) {
                const float scaled =
                    scaled_window[(vel_head + VEL_TAPS_USED - s * CENTRE + j) & (VEL_TAPS - 1)];
                const float next = updated(taps, head, CENTRE + j, scaled, old[j] COEFF_ARG);
                const bool inner = rows && xo + j >= R && xo + j < dimx - R;
                fresh[j] = inner ? next : TAP(CENTRE + j);
                // What leaves this window is the level before of the next step.
                old[j] = TAP(j);
            }
        }
        const int z_out = zt - MARGIN, at = z_out * plane + yo * dimx + xo;
        const private float *taps = windows + (STEPS - 1) * TAPS;
        const bool row_valid =
            (y == 0 || yt >= MARGIN) && (y + DY >= dimy || yt < DY - MARGIN) && yo < dimy;
        for (int j = 0; j < P; j++) {
            const bool valid = (x == 0 || xt + j >= MARGIN) &&
                               (x + DX >= dimx || xt + j < DX - MARGIN) && xo + j < dimx;
            if (valid && row_valid && z_out >= 0 && z_out < dimz) {
                STORE(out, at + j, fresh[j]);
                STORE(out_before, at + j, TAP(CENTRE + j));
            }
        }
        xt += P;
        if (xt == DX) {
            xt = 0;
            yt += 1;
        }
        if (yt == DY) {
            yt = 0;
            zt += 1;
        }
        if (zt == dimz + MARGIN) {
            zt = 0;
            tile += 1;
        }
    }
}
