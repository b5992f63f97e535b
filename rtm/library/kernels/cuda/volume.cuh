// What all kernels of the acoustic wave share. With -D come REAL (float or double), TINY (below)
// and H, half the order of the differences.
//
// A level is one array, z fastest. Row (ix, iy) starts at `at(s, ix, iy, 0)`, on a cache line. H
// rows of zeros lie beyond each face of x and y, and at least 8 zeros between the end of a row and
// the start of the next: so no kernel asks where the grid ends.
#ifndef VOLUME_CUH
#define VOLUME_CUH

#define PAD 32  // zeros before the first row

struct Shape {
    int nx, ny, nz;
    int stride;  // elements from a row to the next
    int plane;   // elements from a plane of x to the next
    int layers;  // boundary layers, points on each face
    // Whether a step mirrors the free surface itself (1), and behind which faces of x and y the
    // layers' pass does it (2 << face).
    int surface;
};

// The points to compute: x0 <= ix < x1 and so on.
struct Box {
    int x0, x1, y0, y1, z0, z1;
};

// Two steps and an image in one launch: the points that it is divided into, those of each part,
// planes of a march, times of the image, and `surface` of the steps.
struct Pair {
    Box tiles, a, b, image;
    int chunk, images, surface_a, surface_b;
};

// Weights of the differences, divided by the spacings: [axis][distance - 1].
struct Weights {
    REAL centre;
    REAL second_centre[3];
    REAL second[3][8];
    REAL first[3][8];
};

__device__ __forceinline__ long long at(const Shape &s, int ix, int iy, int iz)
{
    return PAD + (long long)(ix + H) * s.plane + (iy + H) * s.stride + iz;
}

// The parameters of every kernel that makes a time step: next = 2 cur - prev + v2 lap(cur), v2 = (v
// dt)^2. `next` may be `prev`. `table` holds the numbers of `w` in global memory, for the kernels
// that do not know better.
#define STEP_PARAMETERS                                                                            \
    REAL *next, const REAL *__restrict__ cur, const REAL *prev, const REAL *__restrict__ v2,       \
        const Shape s, const Box box, const Weights w, const REAL *__restrict__ table,             \
        const int chunk

// One axis of the Laplacian at distance l: the same order of sums everywhere, so that all kernels
// give the same bits.
#define PAIR(weight, minus, plus) ((weight) * ((minus) + (plus)))

#ifndef EARLY
#define EARLY 0
#endif

// With -DEARLY=1 (compute capability 9.0) a step's kernels begin while the one in front of them in
// the stream ends. Here they wait for all that it and those before it write; what they read before
// must be older than the one in front. Each waits at some time: who comes behind relies on it.
__device__ __forceinline__ void wait_for_front()
{
#if EARLY
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Lets the next kernel begin, as soon as all blocks of this one have.
__device__ __forceinline__ void let_next_begin()
{
#if EARLY
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

__device__ __forceinline__ void follow()
{
    wait_for_front();
    let_next_begin();
}

// What is stored in a level, psi or zeta: zero for what is less than TINY, as on the CPU, where
// subnormal numbers take long (src/real.rs).
__device__ __forceinline__ REAL flushed(REAL value) { return fabs(value) < TINY ? REAL(0) : value; }

#endif
