// V0b: one work-item for each interior cell, everything from global memory. `output` holds the
// level before on entry.
kernel void ndrange_plain(global float *output, const global float *input, const global float *vel,
                          int nx, int ny, int nz, int padding COEFF_PARAM COUNTS_PARAM)
{
    const int x = (int)get_global_id(0) + R, y = (int)get_global_id(1) + R,
              z = (int)get_global_id(2) + R;
    if (x >= nx - R || y >= ny - R || z >= nz - R) return;
    output += padding;
    input += padding;
    vel += padding;
    const int limit = nx * ny * nz, plane = nx * ny, at = z * plane + y * nx + x;
    const float current = LOAD(input, at, NEW_PLANE);
    float value = coeff[0] * current;
#pragma unroll UNROLL
    for (int i = 1; i <= R; i++) {
        value += coeff[i] * (LOAD(input, at + i * plane, HALO) + LOAD(input, at - i * plane, HALO) +
                             LOAD(input, at - i * nx, HALO) + LOAD(input, at + i * nx, HALO) +
                             LOAD(input, at - i, HALO) + LOAD(input, at + i, HALO));
    }
    const float old = LOAD(output, at, OLD);
    STORE(output, at, 2.0f * current + (LOAD(vel, at, VELOCITY) * value - old));
}
