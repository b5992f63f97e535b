// Functions of OpenCL C that take more than one operation, for one component each. Written in CUDA
// C++, which this compiler knows as well; `sema::vector_calls` applies them to vectors. A program
// cannot see these names by accident.
#pragma once

template <typename T> __device__ T __cl_clamp(T x, T low, T high) { return min(max(x, low), high); }
template <typename T> __device__ T __cl_degrees(T x) { return x * (T)57.295779513082320876798; }
template <typename T> __device__ T __cl_radians(T x) { return x * (T)0.017453292519943295769237; }
template <typename T> __device__ T __cl_mix(T x, T y, T a) { return x + (y - x) * a; }
template <typename T> __device__ T __cl_step(T edge, T x) { return x < edge ? (T)0 : (T)1; }
template <typename T> __device__ T __cl_smoothstep(T low, T high, T x)
{
    T t = __cl_clamp((x - low) / (high - low), (T)0, (T)1);
    return t * t * ((T)3 - (T)2 * t);
}
template <typename T> __device__ T __cl_sign(T x)
{
    if (isnan(x))
        return (T)0;
    return x > (T)0 ? (T)1 : x < (T)0 ? (T)-1 : x;
}
template <typename T> __device__ T __cl_maxmag(T x, T y)
{
    return fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y);
}
template <typename T> __device__ T __cl_minmag(T x, T y)
{
    return fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : fmin(x, y);
}
template <typename T> __device__ T __cl_asinpi(T x) { return asin(x) / (T)3.14159265358979323846; }
template <typename T> __device__ T __cl_acospi(T x) { return acos(x) / (T)3.14159265358979323846; }
template <typename T> __device__ T __cl_atanpi(T x) { return atan(x) / (T)3.14159265358979323846; }
template <typename T> __device__ T __cl_atan2pi(T y, T x)
{ return atan2(y, x) / (T)3.14159265358979323846; }
template <typename T> __device__ T __cl_tanpi(T x) { return sinpi(x) / cospi(x); }
template <typename T> __device__ T __cl_rootn(T x, int n)
{
    T root = pow(fabs(x), (T)1 / (T)n);
    return x < (T)0 && n % 2 != 0 ? -root : x < (T)0 ? (T)NAN : root;
}
template <typename T> __device__ int __cl_ilogb(T x)
{
    int e;
    if (isnan(x) || isinf(x))
        return INT_MAX;
    if (x == (T)0)
        return -INT_MAX;
    frexp(x, &e);
    return e - 1;
}
template <typename T> __device__ T __cl_logb(T x)
{
    return isnan(x) || isinf(x) ? x * x : x == (T)0 ? (T)-INFINITY : (T)__cl_ilogb(x);
}
template <typename T> __device__ T __cl_fract(T x, T *whole)
{
    T below = floor(x);
    *whole = below;
    return isinf(x) ? copysign((T)0, x)
                    : fmin(x - below, sizeof(T) == 2   ? (T)0x1.ffcp-1f
                                      : sizeof(T) == 4 ? (T)0x1.fffffep-1f
                                                       : (T)0x1.fffffffffffffp-1);
}
template <typename T> __device__ T __cl_sincos(T x, T *cosine)
{
    *cosine = cos(x);
    return sin(x);
}
template <typename T> __device__ T __cl_lgamma_r(T x, int *sign)
{
    *sign = x > (T)0 || isnan(x) ? 1 : x == floor(x) ? 0 : (long long)floor(x) % 2 == 0 ? 1 : -1;
    return lgamma(x);
}
template <typename T> __device__ T __cl_remquo(T x, T y, int *quotient)
{
    T rest = remainder(x, y);
    T whole = rint((x - rest) / y);
    *quotient = (int)fmod(whole, (T)128);
    return rest;
}
template <typename T> __device__ bool __cl_isnormal(T x)
{
    T least = sizeof(T) == 2 ? (T)0x1p-14f : sizeof(T) == 4 ? (T)FLT_MIN : (T)DBL_MIN;
    return isfinite(x) && fabs(x) >= least;
}

// ---- integers

template <typename T> __device__ T __cl_hadd(T a, T b) { return (a & b) + ((a ^ b) >> 1); }
template <typename T> __device__ T __cl_rhadd(T a, T b) { return (a | b) - ((a ^ b) >> 1); }
template <typename T> __device__ T __cl_abs(T a)
{
    if constexpr ((T)-1 < (T)0)
        return a < (T)0 ? (T)-a : a;
    else
        return a;
}
template <typename T> __device__ T __cl_abs_diff(T a, T b)
{ return a > b ? (T)(a - b) : (T)(b - a); }
template <typename T> __device__ T __cl_add_sat(T a, T b)
{
    T r = (T)(a + b);
    if constexpr ((T)-1 < (T)0) {
        const T low = (T)((T)1 << (8 * sizeof(T) - 1));
        return ((a ^ r) & (b ^ r)) < 0 ? (a < 0 ? low : (T)~low) : r;
    } else {
        return r < a ? (T)-1 : r;
    }
}
template <typename T> __device__ T __cl_sub_sat(T a, T b)
{
    T r = (T)(a - b);
    if constexpr ((T)-1 < (T)0) {
        const T low = (T)((T)1 << (8 * sizeof(T) - 1));
        return ((a ^ b) & (a ^ r)) < 0 ? (a < 0 ? low : (T)~low) : r;
    } else {
        return a < b ? (T)0 : r;
    }
}
template <typename T> __device__ T __cl_mul_hi(T a, T b)
{
    if constexpr (sizeof(T) < 4)
        return (T)((long long)a * (long long)b >> (8 * sizeof(T)));
    else if constexpr (sizeof(T) == 4)
        return (T)((T)-1 < (T)0 ? __mulhi((int)a, (int)b)
                                : (int)__umulhi((unsigned)a, (unsigned)b));
    else if constexpr ((T)-1 < (T)0)
        return __mul64hi(a, b);
    else
        return __umul64hi(a, b);
}
template <typename T> __device__ T __cl_mad_hi(T a, T b, T c) { return (T)(__cl_mul_hi(a, b) + c); }
template <typename T> __device__ T __cl_mad_sat(T a, T b, T c)
{
    T high = __cl_mul_hi(a, b);
    T low = (T)(a * b);
    if constexpr ((T)-1 < (T)0) {
        const T least = (T)((T)1 << (8 * sizeof(T) - 1));
        // The sum of the product's halves and `c`, with the carry.
        T sum = (T)(low + c);
        T carry = __cl_mul_hi(a, b);
        bool up = c >= 0 ? (low < 0 && sum >= 0) : false;
        bool down = c < 0 ? (low >= 0 && sum < 0) : false;
        carry = (T)(high + (up ? 1 : 0) - (down ? 1 : 0));
        bool fits = carry == (sum < 0 ? (T)-1 : (T)0);
        return fits ? sum : carry < 0 ? least : (T)~least;
    } else {
        T sum = (T)(low + c);
        return high != (T)0 || sum < low ? (T)-1 : sum;
    }
}
template <typename T> __device__ T __cl_rotate(T x, T n)
{
    constexpr int bits = 8 * sizeof(T);
    const int k = (int)n & (bits - 1);
    if constexpr (sizeof(T) == 4) {
        return (T)__funnelshift_l((unsigned)x, (unsigned)x, (unsigned)k);
    } else {
        const unsigned long long all = bits == 64 ? ~0ull : (1ull << (bits % 64)) - 1;
        const unsigned long long u = (unsigned long long)x & all;
        return (T)(u << k | u >> ((bits - k) & (bits - 1)));
    }
}
template <typename T> __device__ T __cl_clz(T x)
{
    constexpr int bits = 8 * sizeof(T);
    if constexpr (sizeof(T) == 8)
        return (T)__clzll((long long)x);
    else if constexpr (sizeof(T) == 4)
        return (T)__clz((int)x);
    else
        return (T)(__clz((int)x & ((1 << bits) - 1)) - (32 - bits));
}
template <typename T> __device__ T __cl_popcount(T x)
{
    constexpr int bits = 8 * sizeof(T);
    if constexpr (sizeof(T) == 8)
        return (T)__popcll((unsigned long long)x);
    else if constexpr (sizeof(T) == 4)
        return (T)__popc((unsigned)x);
    else
        return (T)__popc((unsigned)x & ((1u << bits) - 1u));
}
template <typename T> __device__ T __cl_ctz(T x) { return __cl_popcount((T)(~x & (x - 1))); }
template <typename T> __device__ T __cl_bitselect(T a, T b, T c) { return (a & ~c) | (b & c); }

// ---- conversions: D is the result, S the source; `low` and `high` are its bounds

template <typename D, typename S> __device__ D __cl_saturate(S x, D low, D high)
{
    if constexpr ((S)0.5 != (S)0) {
        // Floating point; 2^63 and the like are reached exactly.
        if (isnan(x))
            return (D)0;
        return x <= (S)low ? low : x >= (S)high ? high : (D)x;
    } else if constexpr ((S)-1 < (S)0) {
        if (x < (S)0)
            return (D)-1 < (D)0 ? ((long long)x < (long long)low ? low : (D)x) : (D)0;
        return (unsigned long long)x > (unsigned long long)high ? high : (D)x;
    } else {
        return (unsigned long long)x > (unsigned long long)high ? high : (D)x;
    }
}
// The next number up or down.
template <typename D> __device__ D __cl_next(D x, bool up)
{
    if constexpr (sizeof(D) == 2) {
        // Bits of halves are ordered as their sizes; no caller leaves the infinities.
        unsigned short bits = __half_as_ushort(x);
        if (x == (D)0)
            return __ushort_as_half((unsigned short)(up ? 0x0001 : 0x8001));
        return __ushort_as_half((unsigned short)((x > (D)0) == up ? bits + 1 : bits - 1));
    } else {
        return nextafter(x, up ? (D)INFINITY : (D)-INFINITY);
    }
}
// To `half`, `float` or `double` with a rounding of its own: mode 0 to zero, 1 up, 2 down. `near`
// is the nearest value.
template <typename D, typename S> __device__ D __cl_directed(S x, D near, int mode)
{
    // How `near` lies to `x`, without rounding again.
    int side;
    if constexpr ((S)0.5 != (S)0) {
        side = (double)near > (double)x ? 1 : (double)near < (double)x ? -1 : 0;
    } else {
        // Back in 64 bits, which holds all but the powers of two at the end of the 64-bit types.
        if constexpr (sizeof(S) < 8) {
            long long back = (long long)near;
            side = back > (long long)x ? 1 : back < (long long)x ? -1 : 0;
        } else {
            bool top =
                (double)near >= ((S)-1 < (S)0 ? 9223372036854775808.0 : 18446744073709551616.0);
            S back = top ? (S)0 : (S)near;
            side = top ? 1 : back > x ? 1 : back < x ? -1 : 0;
        }
    }
    bool down = mode == 2 || mode == 0 && x > (S)0;
    bool up = mode == 1 || mode == 0 && x < (S)0;
    if (side > 0 && down)
        return __cl_next(near, false);
    if (side < 0 && up)
        return __cl_next(near, true);
    return near;
}

// ---- the whole work-group

__device__ inline unsigned __cl_local_number()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ inline unsigned __cl_local_count() { return blockDim.x * blockDim.y * blockDim.z; }
template <typename T> __device__ bool __cl_islessgreater(T x, T y) { return x < y || x > y; }
template <typename T> __device__ bool __cl_isordered(T x, T y) { return !isnan(x) && !isnan(y); }
template <typename T> __device__ bool __cl_isunordered(T x, T y) { return isnan(x) || isnan(y); }
// Work-items copy in turn; `wait_group_events` is a barrier, which makes the copy visible.
template <typename T> __device__ void __cl_copy(T *to, const T *from, unsigned long long n,
                                                unsigned long long to_step,
                                                unsigned long long from_step)
{
    for (unsigned long long i = __cl_local_number(); i < n; i += __cl_local_count())
        to[i * to_step] = from[i * from_step];
}
// Where a pointer without a word points to; the ranges are those of `spaces.h`.
template <typename T> __device__ T *__cl_to_global(T *p)
{ return (size_t)p >= 0x100000000 ? p : (T *)0; }
template <typename T> __device__ T *__cl_to_local(T *p)
{ return (size_t)p >= 0x1000000 && (size_t)p < 0x10000000 ? p : (T *)0; }
template <typename T> __device__ T *__cl_to_private(T *p)
{ return (size_t)p >= 0x10000000 && (size_t)p < 0x40000000 ? p : (T *)0; }
