// What the TTI kernels share: the grid, and central differences of order 8.
//
// Volumes have x as their fastest index, then y, then z; four points of border on each face hold zeros. `first` is the index of
// the first point inside the border, `row` and `plane` are the distances between neighbours along y and z. See docs/tti.md.

struct Grid {
    int nx, ny, nz; // points inside the border
    int first, row, plane;
    int chunk;                    // planes that one block computes
    float xx, yy, zz, xy, yz, xz; // 1 / (spacing * spacing)
    float dt2;                    // dt * dt
};

#define HALF 4

// First difference at distances 1 to 4; the minus side has the other sign.
#define D1 0.8f
#define D2 (-0.2f)
#define D3 (4.0f / 105.0f)
#define D4 (-1.0f / 280.0f)

// Second difference at distances 0 to 4.
#define C0 (-205.0f / 72.0f)
#define C1 1.6f
#define C2 (-0.2f)
#define C3 (8.0f / 315.0f)
#define C4 (-1.0f / 560.0f)

// Second difference along the axis on which neighbours are `s` elements apart.
__device__ __forceinline__ float second(const float *f, int s)
{
    return C0 * f[0] + C1 * (f[s] + f[-s]) + C2 * (f[2 * s] + f[-2 * s]) + C3 * (f[3 * s] + f[-3 * s]) +
           C4 * (f[4 * s] + f[-4 * s]);
}

// One group of the mixed difference: the four points at i steps along one axis and j along the other.
#define QUAD(i, j) (D##i * D##j) * (f[i * s + j * t] - f[i * s - j * t] - f[j * t - i * s] + f[-i * s - j * t])

// Mixed second difference: the product of two first differences, written out over all its 64 points.
__device__ __forceinline__ float mixed(const float *f, int s, int t)
{
    return QUAD(1, 1) + QUAD(1, 2) + QUAD(1, 3) + QUAD(1, 4) + QUAD(2, 1) + QUAD(2, 2) + QUAD(2, 3) + QUAD(2, 4) +
           QUAD(3, 1) + QUAD(3, 2) + QUAD(3, 3) + QUAD(3, 4) + QUAD(4, 1) + QUAD(4, 2) + QUAD(4, 3) + QUAD(4, 4);
}

// The source acts on both fields.
extern "C" __global__ void tti_inject(float *p, float *q, int at, float value)
{
    p[at] += value;
    q[at] += value;
}
