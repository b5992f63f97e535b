// The device side of cuRAND for everyday use: XORWOW, Philox and MRG32k3a generators, Sobol
// sequences, uniform and normal numbers.
//
// The generators and the mappings to floating point are the published ones. Streams are told apart
// by hashing the seed with the sequence number, so the numbers differ from the vendor's for the
// same seed. Sobol sequences are the vendor's.
#pragma once

struct curandStateXORWOW {
    unsigned int d;
    unsigned int v[5];
    int has_extra;
    int has_extra_double;
    float extra;
    double extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

struct curandStatePhilox4_32_10 {
    uint4 counter;
    uint4 output;
    uint2 key;
    unsigned int used;
    int has_extra;
    int has_extra_double;
    float extra;
    double extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

// Mixes all bits of a 64-bit number.
__device__ unsigned long long __curand_mix(unsigned long long x)
{
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

__device__ unsigned int curand(curandStateXORWOW *state)
{
    unsigned int t = state->v[0] ^ (state->v[0] >> 2);
    state->v[0] = state->v[1];
    state->v[1] = state->v[2];
    state->v[2] = state->v[3];
    state->v[3] = state->v[4];
    state->v[4] = (state->v[4] ^ (state->v[4] << 4)) ^ (t ^ (t << 1));
    state->d += 362437;
    return state->v[4] + state->d;
}

__device__ void skipahead(unsigned long long n, curandStateXORWOW *state)
{
    for (unsigned long long i = 0; i < n; ++i)
        curand(state);
}

__device__ void curand_init(unsigned long long seed, unsigned long long sequence,
                            unsigned long long offset, curandStateXORWOW *state)
{
    unsigned long long a = __curand_mix(seed);
    unsigned long long b = __curand_mix(a ^ __curand_mix(sequence));
    unsigned long long c = __curand_mix(b);
    state->v[0] = 123456789u + (unsigned int)a;
    state->v[1] = 362436069u ^ (unsigned int)b;
    state->v[2] = 521288629u + (unsigned int)(b >> 32);
    state->v[3] = 88675123u ^ (unsigned int)c;
    state->v[4] = 5783321u + (unsigned int)(c >> 32);
    state->d = 6615241u + (unsigned int)(a >> 32);
    // All zero would stay so for ever.
    state->v[4] |= (state->v[0] | state->v[1] | state->v[2] | state->v[3] | state->v[4]) == 0u;
    state->has_extra = 0;
    state->has_extra_double = 0;
    state->extra = 0.0f;
    state->extra_double = 0.0;
    skipahead(offset, state);
}

// Philox: ten rounds on a counter.
__device__ uint4 __curand_philox(uint4 c, uint2 k)
{
    for (int round = 0; round < 10; ++round) {
        unsigned int h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
        unsigned int h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
        c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
        k.x += 0x9E3779B9u;
        k.y += 0xBB67AE85u;
    }
    return c;
}

__device__ void __curand_next(curandStatePhilox4_32_10 *state)
{
    if (++state->counter.x == 0)
        if (++state->counter.y == 0)
            if (++state->counter.z == 0)
                ++state->counter.w;
    state->output = __curand_philox(state->counter, state->key);
    state->used = 0;
}

__device__ unsigned int curand(curandStatePhilox4_32_10 *state)
{
    if (state->used >= 4)
        __curand_next(state);
    unsigned int i = state->used++;
    return i == 0   ? state->output.x
           : i == 1 ? state->output.y
           : i == 2 ? state->output.z
                    : state->output.w;
}

__device__ uint4 curand4(curandStatePhilox4_32_10 *state)
{
    uint4 r;
    r.x = curand(state);
    r.y = curand(state);
    r.z = curand(state);
    r.w = curand(state);
    return r;
}

__device__ void curand_init(unsigned long long seed, unsigned long long sequence,
                            unsigned long long offset, curandStatePhilox4_32_10 *state)
{
    unsigned long long block = offset / 4;
    state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
    state->counter = make_uint4((unsigned int)block, (unsigned int)(block >> 32),
                                (unsigned int)sequence, (unsigned int)(sequence >> 32));
    state->output = __curand_philox(state->counter, state->key);
    state->used = (unsigned int)(offset % 4);
    state->has_extra = 0;
    state->has_extra_double = 0;
    state->extra = 0.0f;
    state->extra_double = 0.0;
}

// Two recurrences of the third order, by L'Ecuyer.
struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];
    int has_extra;
    int has_extra_double;
    float extra;
    double extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

__device__ unsigned int curand(curandStateMRG32k3a *state)
{
    const long long m1 = 4294967087LL, m2 = 4294944443LL;
    long long p1 = (1403580LL * state->s1[1] - 810728LL * state->s1[0]) % m1;
    long long p2 = (527612LL * state->s2[2] - 1370589LL * state->s2[0]) % m2;
    p1 += p1 < 0 ? m1 : 0;
    p2 += p2 < 0 ? m2 : 0;
    state->s1[0] = state->s1[1];
    state->s1[1] = state->s1[2];
    state->s1[2] = (unsigned int)p1;
    state->s2[0] = state->s2[1];
    state->s2[1] = state->s2[2];
    state->s2[2] = (unsigned int)p2;
    return (unsigned int)(p1 <= p2 ? p1 - p2 + m1 : p1 - p2);
}

__device__ void skipahead(unsigned long long n, curandStateMRG32k3a *state)
{
    for (unsigned long long i = 0; i < n; ++i)
        curand(state);
}

__device__ void curand_init(unsigned long long seed, unsigned long long sequence,
                            unsigned long long offset, curandStateMRG32k3a *state)
{
    unsigned long long a = __curand_mix(__curand_mix(seed) ^ __curand_mix(sequence));
    for (int i = 0; i < 3; ++i) {
        a = __curand_mix(a);
        // Neither of the two may be all zero.
        state->s1[i] = 1u + (unsigned int)(a % 4294967086ULL);
        state->s2[i] = 1u + (unsigned int)((a >> 32) % 4294944442ULL);
    }
    state->has_extra = 0;
    state->has_extra_double = 0;
    state->extra = 0.0f;
    state->extra_double = 0.0;
    skipahead(offset, state);
}

// Sobol sequences, from the direction vectors that the host gets.
typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
#define __CURAND_SOBOL(bits, number, find_low) \
    struct curandStateSobol##bits { \
        number i, x, c; \
        number direction_vectors[bits]; \
    }; \
    typedef struct curandStateSobol##bits curandStateSobol##bits##_t; \
    typedef struct curandStateSobol##bits curandStateScrambledSobol##bits; \
    typedef struct curandStateSobol##bits curandStateScrambledSobol##bits##_t; \
    __device__ number curand(curandStateSobol##bits *state) \
    { \
        number value = state->x; \
        int low = find_low(~state->i); \
        state->x ^= state->direction_vectors[low > 0 ? low - 1 : bits - 1]; \
        ++state->i; \
        return value; \
    } \
    __device__ void skipahead(number n, curandStateSobol##bits *state) \
    { \
        state->i += n; \
        state->x = state->c; \
        number gray = state->i ^ (state->i >> 1); \
        for (int k = 0; k < bits; ++k) \
            if (gray >> k & 1) state->x ^= state->direction_vectors[k]; \
    } \
    __device__ void curand_init(const number *vectors, number scramble, number offset, \
                                curandStateSobol##bits *state) \
    { \
        for (int k = 0; k < bits; ++k) state->direction_vectors[k] = vectors[k]; \
        state->i = 0; \
        state->c = scramble; \
        skipahead(offset, state); \
    } \
    __device__ void curand_init(const number *vectors, number offset, \
                                curandStateSobol##bits *state) \
    { curand_init(vectors, 0, offset, state); }
__CURAND_SOBOL(32, unsigned int, __ffs)
__CURAND_SOBOL(64, unsigned long long, __ffsll)
#undef __CURAND_SOBOL

// (0, 1]
__device__ float __curand_to_float(unsigned int x)
{
    return x * 2.3283064365386963e-10f + 1.1641532182693481e-10f;
}

__device__ double __curand_to_double(unsigned int x, unsigned int y)
{
    unsigned long long z = (unsigned long long)x ^ ((unsigned long long)y << 21);
    return z * 1.1102230246251565e-16 + 5.5511151231257827e-17;
}

template <typename State>
__device__ float curand_uniform(State *state)
{
    return __curand_to_float(curand(state));
}

__device__ double curand_uniform_double(curandStateSobol32 *state)
{
    return curand(state) * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}
__device__ float curand_uniform(curandStateSobol64 *state)
{
    return __curand_to_float((unsigned int)(curand(state) >> 32));
}
__device__ double curand_uniform_double(curandStateSobol64 *state)
{
    return (curand(state) >> 11) * 1.1102230246251565e-16 + 5.5511151231257827e-17;
}

template <typename State>
__device__ double curand_uniform_double(State *state)
{
    unsigned int x = curand(state);
    unsigned int y = curand(state);
    return __curand_to_double(x, y);
}

__device__ float4 curand_uniform4(curandStatePhilox4_32_10 *state)
{
    uint4 x = curand4(state);
    return make_float4(__curand_to_float(x.x), __curand_to_float(x.y), __curand_to_float(x.z),
                       __curand_to_float(x.w));
}

// Two independent normal numbers by Box and Muller.
template <typename State>
__device__ float2 curand_normal2(State *state)
{
    float u = curand_uniform(state);
    float v = curand(state) * 1.46291807e-09f + 7.31459033e-10f;
    float s = sqrtf(-2.0f * logf(u));
    return make_float2(s * sinf(v), s * cosf(v));
}

template <typename State>
__device__ float curand_normal(State *state)
{
    if (state->has_extra) {
        state->has_extra = 0;
        return state->extra;
    }
    float2 n = curand_normal2(state);
    state->extra = n.y;
    state->has_extra = 1;
    return n.x;
}

__device__ float4 curand_normal4(curandStatePhilox4_32_10 *state)
{
    float2 a = curand_normal2(state);
    float2 b = curand_normal2(state);
    return make_float4(a.x, a.y, b.x, b.y);
}

template <typename State>
__device__ double2 curand_normal2_double(State *state)
{
    double u = curand_uniform_double(state);
    double v = curand_uniform_double(state) * 2.0;
    double s = sqrt(-2.0 * log(u));
    return make_double2(s * sinpi(v), s * cospi(v));
}

template <typename State>
__device__ double curand_normal_double(State *state)
{
    if (state->has_extra_double) {
        state->has_extra_double = 0;
        return state->extra_double;
    }
    double2 n = curand_normal2_double(state);
    state->extra_double = n.y;
    state->has_extra_double = 1;
    return n.x;
}

template <typename State>
__device__ float curand_log_normal(State *state, float mean, float stddev)
{
    return expf(mean + stddev * curand_normal(state));
}

// Poisson numbers: by counting for small means, rounded normal numbers for large ones.
template <typename State>
__device__ unsigned int curand_poisson(State *state, double lambda)
{
    if (lambda > 60.0) {
        double x = lambda + sqrt(lambda) * curand_normal_double(state) + 0.5;
        return x < 0.0 ? 0u : (unsigned int)x;
    }
    double limit = exp(-lambda), product = curand_uniform_double(state);
    unsigned int n = 0;
    while (product > limit) {
        product *= curand_uniform_double(state);
        ++n;
    }
    return n;
}
