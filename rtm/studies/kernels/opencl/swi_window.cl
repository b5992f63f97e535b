// Shared by the single-work-item kernels: the window that slides over a tile of DX x DY cells, z
// slowest, P cells at a time.
//
// The window's newest cells are P cells at height zt of the tile; the cells computed lie R planes
// back, so that their neighbours at +-R planes are all in the window.

#define WINDOW_PLANE (DX * DY)
#define CENTRE (R * WINDOW_PLANE)

#ifdef RING
// A power of two, at least 2 R DX DY + P: the window stands still and its beginning moves.
#define TAP(k) taps[(head + (k)) & (TAPS - 1)]
#else
#define TAP(k) taps[k]
#endif

// The new value at window position c.
float updated(const private float *taps, int head, int c, float scaled, float old COEFF_PARAM) {
    float value = coeff[0] * TAP(c);
#pragma unroll UNROLL
    for (int i = 1; i <= R; i++) {
#ifdef FACTORED
        value += coeff[i] * (TAP(c - i * WINDOW_PLANE) + TAP(c + i * WINDOW_PLANE) +
                             TAP(c - i * DX) + TAP(c + i * DX) + TAP(c - i) + TAP(c + i));
#else
        value += coeff[i] * TAP(c - i * WINDOW_PLANE);
        value += coeff[i] * TAP(c + i * WINDOW_PLANE);
        value += coeff[i] * TAP(c - i * DX);
        value += coeff[i] * TAP(c + i * DX);
        value += coeff[i] * TAP(c - i);
        value += coeff[i] * TAP(c + i);
#endif
    }
    return 2.0f * TAP(c) + (scaled * value - old);
}

// A cell that this tile computes: its whole stencil lies in the tile and in the volume.
bool is_inner(int xt, int yt, int zt, int xo, int yo, int dimx, int dimy, int dimz) {
    return xt >= R && xt < DX - R && xo < dimx - R && yt >= R && yt < DY - R && yo < dimy - R &&
           zt >= 2 * R && zt < dimz;
}

// Along one axis: of the tiles that overlap in a cell the one whose inner part holds it; at the
// volume's ends the first and the last.
bool is_own(int t, int o, int size, int dim) {
    return (t >= R || o < R) && (t < size - R || o - t + size >= dim);
}

// A cell of the volume's border, which keeps its value; one tile writes it.
bool is_halo(int xt, int yt, int zt, int xo, int yo, int zo, int dimx, int dimy, int dimz) {
    const bool border = xo < R || xo >= dimx - R || yo < R || yo >= dimy - R ||
                        (zo >= 0 && zo < R) || zo >= dimz - R;
    return border && zt >= R && xo < dimx && yo < dimy && is_own(xt, xo, DX, dimx) &&
           is_own(yt, yo, DY, dimy);
}

// Tiles of `size` cells, of which `step` are computed, along an axis of `dim` cells.
int tiles_along(int dim, int size) {
    const int step = size - 2 * R;
    return (dim - 2 * R + step - 1) / step;
}
