// V5: V0b in whole numbers. The bits of each float are an int: pressures with FRACTION fractional
// bits (chosen by the host), vel with 28. Sums are exact in 64 bits; a new value that does not fit
// 32 bits is clamped and counted in `overflows`.
#define VEL_FRACTION 28

kernel void ndrange_fixed(global float *output, const global float *input, const global float *vel,
                          int nx, int ny, int nz, int padding, volatile global uint *overflows)
{
    const int x = (int)get_global_id(0) + R, y = (int)get_global_id(1) + R,
              z = (int)get_global_id(2) + R;
    if (x >= nx - R || y >= ny - R || z >= nz - R) return;
    const int plane = nx * ny, at = padding + z * plane + y * nx + x;
    const long current = as_int(input[at]);
    long near = 0, far = 0;
    near += (long)as_int(input[at + plane]) + as_int(input[at - plane]);
    near += (long)as_int(input[at + nx]) + as_int(input[at - nx]);
    near += (long)as_int(input[at + 1]) + as_int(input[at - 1]);
    far += (long)as_int(input[at + 2 * plane]) + as_int(input[at - 2 * plane]);
    far += (long)as_int(input[at + 2 * nx]) + as_int(input[at - 2 * nx]);
    far += (long)as_int(input[at + 2]) + as_int(input[at - 2]);
    const long lap = -90 * current + 16 * near - far;
    const long change = (as_int(vel[at]) * lap + (1L << (VEL_FRACTION - 1))) >> VEL_FRACTION;
    const long next = 2 * current - as_int(output[at]) + change;
    const long largest = 2147483647L;
    if (next > largest || next < -largest) atomic_inc(overflows);
    const int kept = (int)(next > largest ? largest : next < -largest ? -largest : next);
    output[at] = as_float(kept);
}
