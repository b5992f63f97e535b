// Three other ways to count hits, to be compared with mc_hits of mc.cu. Given; run them with
// `cargo lab run 3.1.3`, which shows what they count. One thread per point, and no reduction: only
// the traffic of the points matters here.

// A point is a struct: lanes read with a stride of 12 bytes.
extern "C" __global__ void hits_structs(const float3 *p, unsigned n, unsigned *hits)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = p[i].x, y = p[i].y, z = p[i].z;
    if (x * x + y * y + z * z <= 1.0f)
        atomicAdd(hits, 1u);
}

// First half of the unfused version: f of every point goes to memory ...
extern "C" __global__ void f_to_memory(const float *x, const float *y, const float *z, unsigned n,
                                       float *f)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float u = x[i], v = y[i], w = z[i];
    f[i] = u * u + v * v + w * w <= 1.0f;
}

// ... and comes back in the second.
extern "C" __global__ void sum_of_f(const float *f, unsigned n, unsigned *hits)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && f[i] == 1.0f)
        atomicAdd(hits, 1u);
}

// The points are made on the way and never stored: a short generator (a step of xorshift on a hash
// of the index) for each thread.
extern "C" __global__ void hits_fused(unsigned n, unsigned seed, unsigned *hits)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned s = (i + 1) * 2654435761u ^ seed;
    float r2 = 0;
    for (int axis = 0; axis < 3; axis++) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        float u = 2 * (s * 2.3283064e-10f) - 1;
        r2 += u * u;
    }
    if (r2 <= 1.0f)
        atomicAdd(hits, 1u);
}
