// What a shot needs beside time steps: injection, recording, imaging, shells, random velocities,
// sums.
#include "volume.cuh"

// (v dt)^2 of a dense model as a level; threadIdx.x along z. What lies around the points was
// cleared before.
extern "C" __global__ void scale_model(REAL *v2, const float *__restrict__ v, const Shape s,
                                       double dt)
{
    const int iz = blockIdx.x * blockDim.x + threadIdx.x,
              iy = blockIdx.y * blockDim.y + threadIdx.y, ix = blockIdx.z;
    if (iy >= s.ny || iz >= s.nz)
        return;
    const double scaled = (double)v[((long long)ix * s.ny + iy) * s.nz + iz] * dt;
    v2[at(s, ix, iy, iz)] = (REAL)(scaled * scaled);
}

// The free surface in the plane iz = 0, behind the step and its layers: the field is 0 there, and
// beyond it -p(-z), where the step has taken zeros; what that adds to the differences of the first
// points. A thread owns a column.
extern "C" __global__ void mirror(REAL *next, const REAL *__restrict__ cur,
                                  const REAL *__restrict__ v2, const Shape s, const Weights w)
{
    const long long column = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= (long long)s.nx * s.ny)
        return;
    const int ix = (int)(column / s.ny), iy = (int)(column - (long long)ix * s.ny);
    const long long i = at(s, ix, iy, 0);
    next[i] = 0;
#pragma unroll
    for (int z = 1; z < H; ++z) {
        REAL sum = w.second[2][z] * cur[i + 1];
#pragma unroll
        for (int l = z + 2; l <= H; ++l)
            sum += w.second[2][l - 1] * cur[i + l - z];
        next[i + z] = flushed(next[i + z] - v2[i + z] * sum);
    }
}

// The points of a box as a dense array, z fastest; threadIdx.x along z.
extern "C" __global__ void crop(REAL *dense, const REAL *__restrict__ level, const Shape s,
                                const Box box)
{
    const int iz = blockIdx.x * blockDim.x + threadIdx.x,
              iy = blockIdx.y * blockDim.y + threadIdx.y, ix = blockIdx.z;
    const int ny = box.y1 - box.y0, nz = box.z1 - box.z0;
    if (iy < ny && iz < nz)
        dense[((long long)ix * ny + iy) * nz + iz] =
            level[at(s, box.x0 + ix, box.y0 + iy, box.z0 + iz)];
}

// From trace after trace, [trace][k], to all traces of a time together and sorted by their points,
// [k][i].
extern "C" __global__ void sort_traces(REAL *sorted, const REAL *__restrict__ samples,
                                       const int *__restrict__ order, int traces, int nt)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = blockIdx.y * blockDim.y + threadIdx.y; i < traces && k < nt;
         k += gridDim.y * blockDim.y)
        sorted[(long long)k * traces + i] = samples[(long long)order[i] * nt + k];
}

// Adds sample k to the field at each point: a thread owns a point and adds its traces in order.
// Point u is that of the traces first[u] .. first[u + 1], at place[u] of the field; samples are
// sorted alike, `traces` of them for each time. Times count from *start, which lies in memory
// because a graph's launches keep their arguments. Only the field is work of the kernel in front.
extern "C" __global__ void inject(REAL *field, const REAL *samples, const int *first,
                                  const long long *place, int points, int traces, int k,
                                  const int *start)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= points)
        return;
    const long long here = place[u];
    const int begin = first[u], end = first[u + 1];
    samples += (long long)(*start + k) * traces;
    follow();
    REAL value = field[here];
    for (int t = begin; t < end; ++t)
        value += samples[t];
    field[here] = value;
}

// Takes the field's value at each point as sample k of its traces.
extern "C" __global__ void record(const REAL *field, REAL *samples, const int *first,
                                  const long long *place, int points, int traces, int k,
                                  const int *start)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= points)
        return;
    samples += (long long)(*start + k) * traces;
    for (int t = first[u]; t < first[u + 1]; ++t)
        samples[t] = field[place[u]];
}

// The sums over time of p_s p_r, p_s^2 and p_r^2, over the interior; the last two may be null. The
// sums lie as levels do.
#define IMAGE_PARAMETERS                                                                           \
    REAL *correlation, REAL *source_energy, REAL *receiver_energy, const REAL *__restrict__ ps,    \
        const REAL *__restrict__ pr, const Shape s

__device__ __forceinline__ void image_point(IMAGE_PARAMETERS, int ix, int iy, int iz)
{
    const int L = s.layers;
    if (ix >= s.nx - L || iy >= s.ny - L || iz >= s.nz - L)
        return;
    const long long i = at(s, ix, iy, iz);
    const REAL a = ps[i], b = pr[i];
    correlation[i] += a * b;
    if (source_energy)
        source_energy[i] += a * a;
    if (receiver_energy)
        receiver_energy[i] += b * b;
}

#define IMAGE correlation, source_energy, receiver_energy, ps, pr, s

// imgcond 0: threadIdx.x along x.
extern "C" __global__ void image_naive(IMAGE_PARAMETERS)
{
    image_point(IMAGE, s.layers + blockIdx.x * blockDim.x + threadIdx.x,
                s.layers + blockIdx.y * blockDim.y + threadIdx.y,
                s.layers + blockIdx.z * blockDim.z + threadIdx.z);
}

// imgcond 7: threadIdx.x along z, as memory has it.
extern "C" __global__ void image_improved(IMAGE_PARAMETERS)
{
    image_point(IMAGE, s.layers + blockIdx.z * blockDim.z + threadIdx.z,
                s.layers + blockIdx.y * blockDim.y + threadIdx.y,
                s.layers + blockIdx.x * blockDim.x + threadIdx.x);
}

// The shell of interior points within H of the layers, split without counting a point twice: both x
// slabs, then what is left of the y slabs, then what is left of the z slabs, z fastest in each. No
// shell has 2^32 points, and divisions of 32 bits are faster than those of 64.
__device__ __forceinline__ long long shell_place(const Shape &s, unsigned k)
{
    const unsigned L = s.layers, nx = s.nx - 2 * L, ny = s.ny - 2 * L, nz = s.nz - 2 * L;
    const unsigned x_slabs = 2 * H * ny * nz, y_slabs = (nx - 2 * H) * 2 * H * nz;
    unsigned ix, iy, iz;
    if (k < x_slabs) {
        const unsigned row = k / nz;
        iz = k - row * nz;
        ix = row / ny;
        iy = row - ix * ny;
        ix += ix < H ? 0 : nx - 2 * H;
    } else if (k < x_slabs + y_slabs) {
        k -= x_slabs;
        const unsigned row = k / nz;
        iz = k - row * nz;
        ix = row / (2 * H);
        iy = row - ix * (2 * H);
        ix += H;
        iy += iy < H ? 0 : ny - 2 * H;
    } else {
        k -= x_slabs + y_slabs;
        const unsigned row = k / (2 * H);
        iz = k - row * (2 * H);
        ix = row / (ny - 2 * H);
        iy = row - ix * (ny - 2 * H) + H;
        ix += H;
        iz += iz < H ? 0 : nz - 2 * H;
    }
    return at(s, ix + L, iy + L, iz + L);
}

// Shells of all levels, one behind the other; levels count from *start, as samples do.
extern "C" __global__ void save_shell(const REAL *__restrict__ field, REAL *shells, const Shape s,
                                      unsigned points, int level, const int *start)
{
    const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < points)
        shells[(long long)(*start + level) * points + k] = field[shell_place(s, k)];
}

extern "C" __global__ void load_shell(REAL *field, const REAL *__restrict__ shells, const Shape s,
                                      unsigned points, int level, const int *start)
{
    const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < points)
        field[shell_place(s, k)] = shells[(long long)(*start + level) * points + k];
}

// sum p^2 in double precision. Each block adds up its part of the array in an order that does not
// depend on the device.
extern "C" __global__ void energy(const REAL *__restrict__ field, double *partial, long long n)
{
    __shared__ double sums[256];
    const long long part = (n + gridDim.x - 1) / gridDim.x;
    const long long from = blockIdx.x * part, to = min(from + part, n);
    double sum = 0;
    for (long long i = from + threadIdx.x; i < to; i += 256)
        sum += (double)field[i] * (double)field[i];
    sums[threadIdx.x] = sum;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sums[0];
}

// The sum of the partial sums, by one block of 256 threads.
extern "C" __global__ void energy_total(const double *__restrict__ partial, double *total, int n)
{
    __shared__ double sums[256];
    double sum = 0;
    for (int i = threadIdx.x; i < n; i += 256)
        sum += partial[i];
    sums[threadIdx.x] = sum;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        *total = sums[0];
}
