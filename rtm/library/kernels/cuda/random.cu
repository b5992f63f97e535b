// Random velocities in the boundary layers (spec 3.4), the same bits as on the CPU: 64-bit
// integers, and double precision whose operations are not fused. Compile without contraction.
#include "volume.cuh"

typedef unsigned long long word;

#define GOLDEN 0x9e3779b97f4a7c15ull
#define LCG_A 6364136223846793005ull
#define LCG_A_INVERSE 13877824140714322085ull

struct Random {
    word seed;
    double dt_s;
    double low, high;  // of modes 0 to 2, m/s
    double nyquist, stable;
    int symmetric;     // mode 3: the range depends on the velocity
    int with_state;    // a generator for each point, else a hash of seed, point and epoch
    int free_surface;  // no layer at the top
    int unused;
};

__device__ __forceinline__ word mix(word x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

// The middle of one of 2^24 equal parts of 0 .. 1.
__device__ __forceinline__ double to_unit(word x) { return ((double)(x >> 40) + 0.5) / 16777216.0; }

// The number of a point of the layers, in the order of memory; -1 in the interior.
__device__ __forceinline__ long long ordinal(const Shape &s, int ix, int iy, int iz)
{
    const int L = s.layers;
    const bool outer_x = ix < L || ix >= s.nx - L, outer_y = iy < L || iy >= s.ny - L;
    const long long inner_plane = 2ll * L * s.nz + (long long)(s.ny - 2 * L) * 2 * L;
    const int outer = min(ix, L) + max(ix + L - s.nx, 0);
    const long long start = (long long)outer * s.ny * s.nz + (ix - outer) * inner_plane;
    if (outer_x)
        return start + (long long)iy * s.nz + iz;
    const int full = min(iy, L) + max(iy + L - s.ny, 0);
    const long long row = start + (long long)full * s.nz + (long long)(iy - full) * 2 * L;
    if (outer_y || iz < L)
        return row + iz;
    return iz >= s.nz - L ? row + iz - (s.nz - 2 * L) : -1;
}

// The state of each generator at epoch 0.
extern "C" __global__ void lcg_start(word *state, word seed, long long points)
{
    const long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (k < points)
        state[k] = mix(seed ^ mix((word)k + GOLDEN));
}

// One epoch on (forward) or back.
extern "C" __global__ void lcg_step(word *state, word seed, long long points, int forward)
{
    const long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= points)
        return;
    const word c = mix(seed + (word)k * GOLDEN) | 1;
    state[k] = forward ? LCG_A * state[k] + c : LCG_A_INVERSE * (state[k] - c);
}

// (v dt)^2 of an epoch in all layers. envelope[d] is the share of randomness at depth d, 0 .. L.
extern "C" __global__ void randomise(REAL *v2, const REAL *__restrict__ model,
                                     const word *__restrict__ state,
                                     const double *__restrict__ envelope, const Shape s,
                                     const Random r, word epoch)
{
    const int iz = blockIdx.x * blockDim.x + threadIdx.x,
              iy = blockIdx.y * blockDim.y + threadIdx.y, ix = blockIdx.z;
    if (iz >= s.nz || iy >= s.ny)
        return;
    const long long k = ordinal(s, ix, iy, iz);
    if (k < 0)
        return;
    const int L = s.layers;
    int d = max(max(L - ix, ix + L + 1 - s.nx), max(L - iy, iy + L + 1 - s.ny));
    d = max(d, max(r.free_surface ? 0 : L - iz, iz + L + 1 - s.nz));
    const double rd = envelope[d];
    const long long i = at(s, ix, iy, iz);
    if (d == 0 || rd == 0) {
        v2[i] = model[i];
        return;
    }
    double number;
    if (r.with_state) {
        number = to_unit(state[k]);
    } else {
        const word x = mix(r.seed + GOLDEN) ^ mix((word)k * GOLDEN + 1);
        number = to_unit(mix(x + epoch * GOLDEN));
    }
    const double v = sqrt((double)model[i]) / r.dt_s;
    double low = r.low, high = r.high;
    if (r.symmetric) {
        const double half = fmax(fmin(v - r.nyquist, r.stable - v), 0.0);
        low = v - half;
        high = v + half;
    }
    const double drawn = ((1.0 - rd) * v + rd * ((1.0 - number) * low + number * high)) * r.dt_s;
    v2[i] = (REAL)(drawn * drawn);
}
