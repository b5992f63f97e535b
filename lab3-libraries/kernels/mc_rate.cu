// How fast can points be generated and integrated? For the program `mcrate`. Given.
//
// Both kernels add the number of points of [-1, 1]^3 in the unit ball to *hits: with one shuffle
// and one atomic for each warp.

__device__ void add(unsigned count, unsigned long long *hits)
{
    for (int offset = 16; offset > 0; offset /= 2)
        count += __shfl_down_sync(0xffffffffu, count, offset);
    if (threadIdx.x % 32 == 0)
        atomicAdd(hits, (unsigned long long)count);
}

__device__ unsigned inside(float u, float v, float w)
{
    float x = 2 * u - 1, y = 2 * v - 1, z = 2 * w - 1;
    return x * x + y * y + z * z <= 1.0f;
}

// Points from memory, numbers of (0, 1]: n is the number of groups of four points; x, y, z hold one
// float4 for each group.
extern "C" __global__ void count_points(const float4 *x, const float4 *y, const float4 *z,
                                        unsigned n, unsigned long long *hits)
{
    unsigned count = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 u = x[i], v = y[i], w = z[i];
        count += inside(u.x, v.x, w.x) + inside(u.y, v.y, w.y) + inside(u.z, v.z, w.z) +
                 inside(u.w, v.w, w.w);
    }
    add(count, hits);
}

// Ten rounds of Philox4x32 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11):
// four numbers from a counter and a key.
__device__ uint4 philox(uint4 c, uint2 key)
{
    for (int round = 0; round < 10; round++) {
        unsigned long long p = 0xD2511F53ull * c.x, q = 0xCD9E8D57ull * c.z;
        c = make_uint4((unsigned)(q >> 32) ^ c.y ^ key.x, (unsigned)q,
                       (unsigned)(p >> 32) ^ c.w ^ key.y, (unsigned)p);
        key.x += 0x9E3779B9;
        key.y += 0xBB67AE85;
    }
    return c;
}

// Points that never see memory: four of them from three counters. n is the number of groups of four
// points.
extern "C" __global__ void count_fused(unsigned n, unsigned seed, unsigned long long *hits)
{
    const float k = 2.3283064e-10f; // 2^-32
    unsigned count = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint4 a = philox(make_uint4(i, 0, 0, 0), make_uint2(seed, 0));
        uint4 b = philox(make_uint4(i, 1, 0, 0), make_uint2(seed, 0));
        uint4 c = philox(make_uint4(i, 2, 0, 0), make_uint2(seed, 0));
        count += inside(a.x * k, a.y * k, a.z * k) + inside(a.w * k, b.x * k, b.y * k) +
                 inside(b.z * k, b.w * k, c.x * k) + inside(c.y * k, c.z * k, c.w * k);
    }
    add(count, hits);
}
