// Pi by Monte Carlo: with an own linear congruential generator per thread, and with xorshift from
// an array of states.
//
//@ buffer hits u32 1 zero
//@ buffer states u32 256 ints 151 1 2147483646
//@ buffer per_thread u32 256 empty
//@ run pi_lcg <<<4, 64>>> (12345, 50, hits)
//@ run pi_xorshift <<<2, 128>>> (states, 40, per_thread)
//@ check hits exact
//@ check states exact
//@ check per_thread exact

struct Lcg {
    unsigned state;
    __device__ explicit Lcg(unsigned seed) : state(seed) {}
    __device__ unsigned next()
    {
        state = state * 1664525u + 1013904223u;
        return state;
    }
    __device__ float uniform() { return (next() >> 8) * (1.0f / 16777216.0f); }
};

extern "C" __global__ void pi_lcg(unsigned seed, int tries, unsigned *hits)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Lcg rng(seed + 7919u * i);
    unsigned inside = 0;
    for (int t = 0; t < tries; ++t) {
        float x = rng.uniform(), y = rng.uniform();
        if (x * x + y * y <= 1.0f)
            ++inside;
    }
    atomicAdd(hits, inside);
}

__device__ unsigned xorshift(unsigned &s)
{
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

extern "C" __global__ void pi_xorshift(unsigned *states, int tries, unsigned *per_thread)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = states[i], inside = 0;
    while (tries-- > 0) {
        unsigned long long x = xorshift(s) >> 1, y = xorshift(s) >> 1;
        inside += x * x + y * y < (1ull << 62);
    }
    states[i] = s;
    per_thread[i] = inside;
}
