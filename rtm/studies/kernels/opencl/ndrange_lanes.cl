// V1s: V1 with LANES cells along x for each work-item, as vectors: what `num_simd_work_items` makes
// of it on an FPGA. A group of WX / LANES x WY work-items covers WX x WY cells.
//
// FEW(p, n) reads the n < LANES cells from `p` on, zeros behind them; PUT(v, p, n) writes the first
// n lanes. Lanes are named one by one: an array that is indexed at run time would lie in memory,
// where a vector lies in registers.
#define LANE(p, n, k) ((n) > k ? (p)[k] : 0.0f)
#define KEEP(v, p, n, k, s) if ((n) > k) (p)[k] = (v).s;
#if LANES == 1
#define VEC float
#define VREAD(p) (*(p))
#define VWRITE(v, p) (*(p) = (v))
#define FEW(p, n) LANE(p, n, 0)
#define PUT(v, p, n) if ((n) > 0) (p)[0] = (v);
#elif LANES == 2
#define VEC float2
#define VREAD(p) vload2(0, p)
#define VWRITE(v, p) vstore2(v, 0, p)
#define FEW(p, n) (float2)(LANE(p, n, 0), LANE(p, n, 1))
#define PUT(v, p, n) KEEP(v, p, n, 0, s0) KEEP(v, p, n, 1, s1)
#elif LANES == 4
#define VEC float4
#define VREAD(p) vload4(0, p)
#define VWRITE(v, p) vstore4(v, 0, p)
#define FEW(p, n) (float4)(LANE(p, n, 0), LANE(p, n, 1), LANE(p, n, 2), LANE(p, n, 3))
#define PUT(v, p, n)                                                                               \
    KEEP(v, p, n, 0, s0) KEEP(v, p, n, 1, s1) KEEP(v, p, n, 2, s2) KEEP(v, p, n, 3, s3)
#else
#define VEC float8
#define VREAD(p) vload8(0, p)
#define VWRITE(v, p) vstore8(v, 0, p)
#define FEW(p, n) (float8)(LANE(p, n, 0), LANE(p, n, 1), LANE(p, n, 2), LANE(p, n, 3), \
                           LANE(p, n, 4), LANE(p, n, 5), LANE(p, n, 6), LANE(p, n, 7))
#define PUT(v, p, n)                                                                               \
    KEEP(v, p, n, 0, s0)                                                                           \
    KEEP(v, p, n, 1, s1) KEEP(v, p, n, 2, s2) KEEP(v, p, n, 3, s3) KEEP(v, p, n, 4, s4)            \
        KEEP(v, p, n, 5, s5) KEEP(v, p, n, 6, s6) KEEP(v, p, n, 7, s7)
#endif

// LANES cells from `p` on, of which the first `count` are in the volume; 0 for the others.
VEC lanes(const global float *p, int count) {
    if (count >= LANES) return VREAD(p);
    return FEW(p, count);
}

kernel __attribute__((reqd_work_group_size(WX / LANES, WY, 1))) void
ndrange_lanes(global float *output, const global float *input, const global float *vel, int dimx,
              int dimy, int dimz, int padding COEFF_PARAM)
{
    local float tile[WY + 2 * R][WX + 2 * R];
    VEC behind[R], infront[R], current;
    const int lx = (int)get_local_id(0) * LANES, ly = get_local_id(1);
    const int gx = (int)get_group_id(0) * WX + lx, gy = get_global_id(1);
    const int row = dimx + 2 * R, rows = dimy + 2 * R, plane = row * rows;
    // How many of the lanes are cells of the volume, and how many are interior cells.
    const int here = gy + R < rows ? row - R - gx : 0, inside = gy < dimy ? dimx - gx : 0;
    output += padding;
    input += padding;
    vel += padding;

    int i = (gy + R) * row + gx + R;
    int o = i + R * plane;
    for (int k = R - 1; k >= 0; k--) {
        behind[k] = lanes(input + i, here);
        i += plane;
    }
    current = lanes(input + i, here);
    for (int k = 0; k < R; k++) {
        i += plane;
        infront[k] = lanes(input + i, here);
    }
    for (int z = 0; z < dimz; z++) {
        if (z > 0) {
            for (int k = R - 1; k > 0; k--) behind[k] = behind[k - 1];
            behind[0] = current;
            current = infront[0];
            for (int k = 0; k < R - 1; k++) infront[k] = infront[k + 1];
            i += plane;
            o += plane;
            infront[R - 1] = lanes(input + i, here);
        }
        const VEC scaled = lanes(vel + o, inside), old = lanes(output + o, inside);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (ly < R) {
            VWRITE(lanes(input + o - R * row, gy < rows ? row - R - gx : 0), &tile[ly][lx + R]);
            VWRITE(lanes(input + o + WY * row, gy + WY + R < rows ? row - R - gx : 0),
                   &tile[ly + WY + R][lx + R]);
        }
        if (lx == 0) {
            for (int k = 0; k < R; k++) {
                tile[ly + R][k] = gx + k < row && gy + R < rows ? input[o - R + k] : 0.0f;
                tile[ly + R][WX + R + k] =
                    gx + WX + R + k < row && gy + R < rows ? input[o + WX + k] : 0.0f;
            }
        }
        VWRITE(current, &tile[ly + R][lx + R]);
        barrier(CLK_LOCAL_MEM_FENCE);
        VEC value = coeff[0] * current;
#pragma unroll UNROLL
        for (int k = 1; k <= R; k++) {
            value +=
                coeff[k] * (infront[k - 1] + behind[k - 1] + VREAD(&tile[ly + R - k][lx + R]) +
                            VREAD(&tile[ly + R + k][lx + R]) + VREAD(&tile[ly + R][lx + R - k]) +
                            VREAD(&tile[ly + R][lx + R + k]));
        }
        const VEC next = 2.0f * current + (scaled * value - old);
        if (inside >= LANES) {
            VWRITE(next, output + o);
        } else {
            PUT(next, output + o, inside)
        }
    }
}
