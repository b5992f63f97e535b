// V1: a group covers WX x WY cells of the x-y plane and marches through all z; each work-item keeps
// its column in private memory, the group keeps the current plane with its halo in local memory.
// `output` holds the level before on entry. dimx, dimy, dimz are interior sizes. All work-items of
// a group reach every barrier; what lies outside of the volume is not read.
kernel __attribute__((reqd_work_group_size(WX, WY, 1))) void
ndrange_local(global float *output, const global float *input, const global float *vel, int dimx,
              int dimy, int dimz, int padding COEFF_PARAM COUNTS_PARAM)
{
    local float tile[WY + 2 * R][WX + 2 * R];
    float behind[R], infront[R], current;
    const int gx = get_global_id(0), gy = get_global_id(1), lx = get_local_id(0),
              ly = get_local_id(1);
    const int row = dimx + 2 * R, rows = dimy + 2 * R, plane = row * rows,
              limit = plane * (dimz + 2 * R);
    const bool inside = gx < dimx && gy < dimy;
    const bool row_there = gy + R < rows, here = gx + R < row && row_there;
    output += padding;
    input += padding;
    vel += padding;

    int i = (gy + R) * row + gx + R;
    int o = i + R * plane;
    for (int k = R - 1; k >= 0; k--) {
        behind[k] = here ? LOAD(input, i, NEW_PLANE) : 0.0f;
        i += plane;
    }
    current = here ? LOAD(input, i, NEW_PLANE) : 0.0f;
    for (int k = 0; k < R; k++) {
        i += plane;
        infront[k] = here ? LOAD(input, i, NEW_PLANE) : 0.0f;
    }
    for (int z = 0; z < dimz; z++) {
        if (z > 0) {
            for (int k = R - 1; k > 0; k--) behind[k] = behind[k - 1];
            behind[0] = current;
            current = infront[0];
            for (int k = 0; k < R - 1; k++) infront[k] = infront[k + 1];
            i += plane;
            o += plane;
            infront[R - 1] = here ? LOAD(input, i, NEW_PLANE) : 0.0f;
        }
        const float scaled = inside ? LOAD(vel, o, VELOCITY) : 0.0f;
        const float old = inside ? LOAD(output, o, OLD) : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (ly < R) {
            tile[ly][lx + R] = gx + R < row && gy < rows ? LOAD(input, o - R * row, HALO) : 0.0f;
            tile[ly + WY + R][lx + R] =
                gx + R < row && gy + WY + R < rows ? LOAD(input, o + WY * row, HALO) : 0.0f;
        }
        if (lx < R) {
            tile[ly + R][lx] = gx < row && row_there ? LOAD(input, o - R, HALO) : 0.0f;
            tile[ly + R][lx + WX + R] =
                gx + WX + R < row && row_there ? LOAD(input, o + WX, HALO) : 0.0f;
        }
        tile[ly + R][lx + R] = current;
        barrier(CLK_LOCAL_MEM_FENCE);
        float value = coeff[0] * current;
#pragma unroll UNROLL
        for (int k = 1; k <= R; k++) {
            value += coeff[k] * (infront[k - 1] + behind[k - 1] + tile[ly + R - k][lx + R] +
                                 tile[ly + R + k][lx + R] + tile[ly + R][lx + R - k] +
                                 tile[ly + R][lx + R + k]);
        }
        if (inside) STORE(output, o, 2.0f * current + (scaled * value - old));
    }
}
