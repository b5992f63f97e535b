// V2, V2r, V2m, V3: a single work-item (or one for each of several tiles) slides the window over
// all tiles. One loop, without a barrier, so that a compiler for FPGAs makes a pipeline of it.
// dimx, dimy, dimz are full sizes; `out` is not `ppf`.
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
swi(global float *restrict out, const global float *restrict ppf, const global float *restrict cpf,
    const global float *restrict vel, int dimx, int dimy, int dimz,
    int padding COEFF_PARAM COUNTS_PARAM)
{
    out += padding;
    ppf += padding;
    cpf += padding;
    vel += padding;
    const int plane = dimx * dimy, limit = plane * dimz;
    const int tiles_x = tiles_along(dimx, DX), tiles = tiles_x * tiles_along(dimy, DY);
    float taps[TAPS];
#ifdef FPGA_EMU
#pragma unroll
#endif
    for (int i = 0; i < TAPS; i++) taps[i] = 0.0f;

    int head = 0, tile = get_global_id(0), xt = 0, yt = 0, zt = 0;
    const int workers = get_global_size(0);
    while (tile < tiles) {
        COUNTED(ITERATIONS);
        const int x = tile % tiles_x * (DX - 2 * R), y = tile / tiles_x * (DY - 2 * R);
#ifdef RING
        head = (head + P) & (TAPS - 1);
#else
        // All at once on an FPGA: a shift register.
#ifdef FPGA_EMU
#pragma unroll
#endif
        for (int i = 0; i < 2 * CENTRE; i++) taps[i] = taps[i + P];
#endif
        const int in = zt * plane + (y + yt) * dimx + x + xt;
        for (int j = 0; j < P; j++) {
            if (in + j >= 0 && in + j < limit) TAP(2 * CENTRE + j) = LOAD(cpf, in + j, NEW_PLANE);
        }
        const int xo = x + xt, yo = y + yt, zo = zt - R, o = zo * plane + yo * dimx + xo;
        float result[P];
#pragma unroll UNROLL
        for (int j = 0; j < P; j++) {
            // On the board these were read out of range; here they are not.
            const bool there = o + j >= 0 && o + j < limit;
            const float scaled = there ? LOAD(vel, o + j, VELOCITY) : 0.0f;
            const float old = there ? LOAD(ppf, o + j, OLD) : 0.0f;
            result[j] = updated(taps, head, CENTRE + j, scaled, old COEFF_ARG);
        }
#pragma unroll UNROLL
        for (int j = 0; j < P; j++) {
            if (is_inner(xt + j, yt, zt, xo + j, yo, dimx, dimy, dimz)) {
                STORE(out, o + j, result[j]);
            } else if (is_halo(xt + j, yt, zt, xo + j, yo, zo, dimx, dimy, dimz)) {
                STORE(out, o + j, TAP(CENTRE + j));
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
        if (zt == dimz + R) {
            zt = 0;
            tile += workers;
        }
    }
}
