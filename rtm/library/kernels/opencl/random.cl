// Random velocities in the boundary layers (spec 3.4), the same bits as on the CPU: 64-bit
// integers, and double precision that is never fused.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#define GOLDEN 0x9e3779b97f4a7c15UL
#define LCG_A 6364136223846793005UL
#define LCG_A_INVERSE 13877824140714322085UL

ulong mixed(ulong x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9UL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebUL;
    return x ^ (x >> 31);
}

// The middle of one of 2^24 equal parts of 0 .. 1.
double to_unit(ulong x) { return ((double)(x >> 40) + 0.5) / 16777216.0; }

// The state of each generator at epoch 0.
kernel void lcg_start(global ulong *states, ulong seed, int points) {
    const int k = get_global_id(0);
    if (k < points) states[k] = mixed(seed ^ mixed((ulong)k + GOLDEN));
}

// One epoch on (forward) or back.
kernel void lcg_step(global ulong *states, ulong seed, int forward, int points) {
    const int k = get_global_id(0);
    if (k >= points) return;
    const ulong c = mixed(seed + (ulong)k * GOLDEN) | 1;
    states[k] = forward ? LCG_A * states[k] + c : LCG_A_INVERSE * (states[k] - c);
}

// v^2 dt^2 of an epoch at the layers' points, which lie at `cells` of a field. With states each
// point has a generator, else its number is a hash of seed, point and epoch. envelope[d]: the share
// of randomness at depth d, 0 .. layers. limits: dt, lowest and highest velocity, and, where the
// range is symmetric about the model's, the Nyquist and the largest stable velocity.
kernel void randomise(global REAL *medium, const global REAL *model, const global int *cells,
                      const global ulong *states, const global double *envelope,
                      constant double *limits, int with_states, int symmetric, int free_surface,
                      ulong seed, int layers, int nx, int ny, int nz, int sx, int sy, int base,
                      int points, ulong epoch)
{
    const int k = get_global_id(0);
    if (k >= points) return;
    const int at = cells[k], ix = (at - base) / sx, iy = (at - base) % sx / sy,
              iz = (at - base) % sy;
    int d = max(max(layers - ix, ix + layers + 1 - nx), max(layers - iy, iy + layers + 1 - ny));
    d = max(max(d, 0), max(free_surface ? 0 : layers - iz, iz + layers + 1 - nz));
    const double rd = envelope[d];
    if (d == 0 || rd == 0) {
        medium[at] = model[at];
        return;
    }
    double number;
    if (with_states) {
        number = to_unit(states[k]);
    } else {
        const ulong x = mixed(seed + GOLDEN) ^ mixed((ulong)k * GOLDEN + 1);
        number = to_unit(mixed(x + epoch * GOLDEN));
    }
    const double dt = limits[0], v = sqrt((double)model[at]) / dt;
    double low = limits[1], high = limits[2];
    if (symmetric) {
        const double half_width = fmax(fmin(v - limits[3], limits[4] - v), 0.0);
        low = v - half_width;
        high = v + half_width;
    }
    const double drawn = ((1.0 - rd) * v + rd * ((1.0 - number) * low + number * high)) * dt;
    medium[at] = (REAL)(drawn * drawn);
}
