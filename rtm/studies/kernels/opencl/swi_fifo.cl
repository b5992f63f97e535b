// V4: V2 as three stages, reader -> stencil -> writer, joined by two FIFOs in global memory. There
// are no pipes and no promise that two kernels run at the same time, so one work-item calls the
// stages in turn; each does up to BURST tokens until its FIFO is full or empty. Every stage keeps
// its own place in the tiles, as it would on an FPGA.
typedef struct {
    int tile, xt, yt, zt;
} Place;

void advance(private Place *p, int dimz) {
    p->xt += P;
    if (p->xt == DX) {
        p->xt = 0;
        p->yt += 1;
    }
    if (p->yt == DY) {
        p->yt = 0;
        p->zt += 1;
    }
    if (p->zt == dimz + R) {
        p->zt = 0;
        p->tile += 1;
    }
}

// What `stats` holds.
#define MOST_IN_FIRST 0
#define MOST_IN_SECOND 1
#define READER_STALLS 2
#define STENCIL_STARVED 3
#define STENCIL_STALLS 4
#define WRITER_STARVED 5
#define TOKENS 6

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
swi_fifo(global float *restrict out, const global float *restrict ppf,
         const global float *restrict cpf, const global float *restrict vel, int dimx, int dimy,
         int dimz, int padding, global float *first, global float *second,
         global uint *stats COEFF_PARAM COUNTS_PARAM)
{
    out += padding;
    ppf += padding;
    cpf += padding;
    vel += padding;
    const int plane = dimx * dimy, limit = plane * dimz;
    const int tiles_x = tiles_along(dimx, DX), tiles = tiles_x * tiles_along(dimy, DY);
    float taps[TAPS];
    for (int i = 0; i < TAPS; i++) taps[i] = 0.0f;
    int head = 0;
    Place reader = { 0, 0, 0, 0 }, stencil = { 0, 0, 0, 0 }, writer = { 0, 0, 0, 0 };
    // Tokens put into and taken out of each FIFO; the difference is what it holds.
    int put1 = 0, got1 = 0, put2 = 0, got2 = 0;
    uint most1 = 0, most2 = 0, full1 = 0, empty1 = 0, full2 = 0, empty2 = 0;

    while (writer.tile < tiles) {
        for (int n = 0; n < BURST && reader.tile < tiles; n++) {
            if (put1 - got1 == DEPTH) {
                full1++;
                break;
            }
            const int x = reader.tile % tiles_x * (DX - 2 * R) + reader.xt,
                      y = reader.tile / tiles_x * (DY - 2 * R) + reader.yt;
            const int in = reader.zt * plane + y * dimx + x, o = in - R * plane;
            global float *token = first + put1 % DEPTH * (3 * P);
            for (int j = 0; j < P; j++) {
                const bool there = o + j >= 0 && o + j < limit;
                token[j] = in + j < limit ? LOAD(cpf, in + j, NEW_PLANE) : 0.0f;
                token[P + j] = there ? LOAD(vel, o + j, VELOCITY) : 0.0f;
                token[2 * P + j] = there ? LOAD(ppf, o + j, OLD) : 0.0f;
            }
            put1++;
            most1 = max(most1, (uint)(put1 - got1));
            advance(&reader, dimz);
        }
        for (int n = 0; n < BURST && stencil.tile < tiles; n++) {
            if (put1 == got1) {
                empty1++;
                break;
            }
            if (put2 - got2 == DEPTH) {
                full2++;
                break;
            }
            const global float *token = first + got1 % DEPTH * (3 * P);
            global float *results = second + put2 % DEPTH * P;
            head = (head + P) & (TAPS - 1);
            for (int j = 0; j < P; j++) TAP(2 * CENTRE + j) = token[j];
            const int xo = stencil.tile % tiles_x * (DX - 2 * R) + stencil.xt,
                      yo = stencil.tile / tiles_x * (DY - 2 * R) + stencil.yt;
            for (int j = 0; j < P; j++) {
                const bool inner =
                    is_inner(stencil.xt + j, stencil.yt, stencil.zt, xo + j, yo, dimx, dimy, dimz);
                const float next =
                    updated(taps, head, CENTRE + j, token[P + j], token[2 * P + j] COEFF_ARG);
                results[j] = inner ? next : TAP(CENTRE + j);
            }
            got1++;
            put2++;
            most2 = max(most2, (uint)(put2 - got2));
            advance(&stencil, dimz);
        }
        for (int n = 0; n < BURST && writer.tile < tiles; n++) {
            if (put2 == got2) {
                empty2++;
                break;
            }
            const global float *results = second + got2 % DEPTH * P;
            const int xo = writer.tile % tiles_x * (DX - 2 * R) + writer.xt,
                      yo = writer.tile / tiles_x * (DY - 2 * R) + writer.yt;
            const int zo = writer.zt - R, o = zo * plane + yo * dimx + xo;
            for (int j = 0; j < P; j++) {
                if (is_inner(writer.xt + j, writer.yt, writer.zt, xo + j, yo, dimx, dimy, dimz) ||
                    is_halo(writer.xt + j, writer.yt, writer.zt, xo + j, yo, zo, dimx, dimy,
                            dimz)) {
                    STORE(out, o + j, results[j]);
                }
            }
            got2++;
            advance(&writer, dimz);
            COUNTED(ITERATIONS);
        }
    }
    stats[MOST_IN_FIRST] = most1;
    stats[MOST_IN_SECOND] = most2;
    stats[READER_STALLS] = full1;
    stats[STENCIL_STARVED] = empty1;
    stats[STENCIL_STALLS] = full2;
    stats[WRITER_STARVED] = empty2;
    stats[TOKENS] = (uint)got2;
}
