// Integers of 128 bits, as two words: `S` is `int` or `unsigned int`, for the sign.
#pragma once

template <typename T> constexpr bool __real128 = false;
template <> constexpr bool __real128<float> = true;
template <> constexpr bool __real128<double> = true;
template <typename S> struct __integer128;
typedef __integer128<int> __int128_t;
typedef __integer128<unsigned int> __uint128_t;
// The type of a result: with a sign if both have one.
template <typename W, typename T> struct __common128 { typedef W type; };
template <> struct __common128<__int128_t, __uint128_t> { typedef __uint128_t type; };

#define __OPERATOR128(op, ...)                                                                     \
    template <typename T> __host__ __device__ constexpr auto operator op(T v) const                \
    {                                                                                              \
        if constexpr (__real128<T>) {                                                              \
            return T(*this) op v;                                                                  \
        } else {                                                                                   \
            typedef typename __common128<__integer128, T>::type W;                                 \
            W a(*this), b(v);                                                                      \
            return __VA_ARGS__;                                                                    \
        }                                                                                          \
    }
#define __ARITHMETIC128(op, ...)                                                                   \
    __OPERATOR128(op, __VA_ARGS__)                                                                 \
    template <typename T> __host__ __device__ constexpr __integer128 &operator op##=(T v)          \
    { return *this = __integer128(*this op v); }
#define __TO128(T) __host__ __device__ constexpr operator T() const { return (T)low; }

template <typename S> struct __attribute__((aligned(16))) __integer128 {
    unsigned long long low, high;

    __integer128() = default;
    __host__ __device__ constexpr __integer128(unsigned long long l, unsigned long long h)
        : low(l), high(h)
    {
    }
    template <typename T> __host__ __device__ constexpr __integer128(T v)
    {
        if constexpr (__real128<T>) {
            T a = v < 0 ? -v : v;
            high = (unsigned long long)(a * T(5.421010862427522e-20));
            low = (unsigned long long)(a - T(high) * T(18446744073709551616.0));
            if (v < 0)
                *this = -*this;
        } else if constexpr (sizeof(T) == 16) {
            low = v.low;
            high = v.high;
        } else {
            low = v;
            high = v < T(0) ? ~0ull : 0;
        }
    }

    __host__ __device__ constexpr operator bool() const { return (low | high) != 0; }
    __TO128(char)
    __TO128(signed char)
    __TO128(unsigned char)
    __TO128(short)
    __TO128(unsigned short)
    __TO128(int)
    __TO128(unsigned int)
    __TO128(long)
    __TO128(unsigned long)
    __TO128(long long)
    __TO128(unsigned long long)
    // The highest 64 bits, the last of them set if any lower one is, are rounded once.
    template <typename T> __host__ __device__ T real() const
    {
        if (*this < 0)
            return -(-__uint128_t(*this)).template real<T>();
        int n = zeros();
        __uint128_t v = __uint128_t(*this) << n;
        return T(v.high | (v.low != 0)) * T(__longlong_as_double((1087ll - n) << 52));
    }
    __host__ __device__ operator float() const { return real<float>(); }
    __host__ __device__ operator double() const { return real<double>(); }
    __host__ __device__ constexpr int zeros() const
    { return high ? __clzll(high) : 64 + __clzll(low); }

    __host__ __device__ constexpr __integer128 operator+() const { return *this; }
    __host__ __device__ constexpr __integer128 operator~() const { return {~low, ~high}; }
    __host__ __device__ constexpr __integer128 operator-() const
    { return {-low, -high - (low != 0)}; }
    __host__ __device__ constexpr __integer128 operator<<(int n) const
    {
        if (n >= 64)
            return {0, low << (n - 64)};
        return {low << n, high << n | (low >> 1) >> (63 - n)};
    }
    __host__ __device__ constexpr __integer128 operator>>(int n) const
    {
        long long sign = S(-1) < S(0) && (long long)high < 0 ? -1 : 0;
        unsigned long long top = n & 63 ? high >> (n & 63) | sign << (64 - (n & 63)) : high;
        if (n >= 64)
            return {top, sign};
        return {low >> n | (high << 1) << (63 - n), top};
    }
    __host__ __device__ constexpr __integer128 &operator<<=(int n) { return *this = *this << n; }
    __host__ __device__ constexpr __integer128 &operator>>=(int n) { return *this = *this >> n; }
    __host__ __device__ constexpr __integer128 &operator++() { return *this += 1; }
    __host__ __device__ constexpr __integer128 &operator--() { return *this -= 1; }
    __host__ __device__ constexpr __integer128 operator++(int)
    {
        __integer128 v = *this;
        *this += 1;
        return v;
    }
    __host__ __device__ constexpr __integer128 operator--(int)
    {
        __integer128 v = *this;
        *this -= 1;
        return v;
    }
    __ARITHMETIC128(+, W(a.low + b.low, a.high + b.high + (a.low + b.low < a.low)))
    __ARITHMETIC128(-, W(a.low - b.low, a.high - b.high - (a.low < b.low)))
    __ARITHMETIC128(&, W(a.low & b.low, a.high & b.high))
    __ARITHMETIC128(|, W(a.low | b.low, a.high | b.high))
    __ARITHMETIC128(^, W(a.low ^ b.low, a.high ^ b.high))
    __ARITHMETIC128(*, W(a.low * b.low, __umul64hi(a.low, b.low) + a.low * b.high + a.high * b.low))
    __ARITHMETIC128(/, a.divided(b, false))
    __ARITHMETIC128(%, a.divided(b, true))
    __OPERATOR128(==, a.low == b.low && a.high == b.high)
    __OPERATOR128(!=, a.low != b.low || a.high != b.high)
    __OPERATOR128(<, a.top() != b.top() ? a.top() < b.top() : a.low < b.low)
    __OPERATOR128(>, b < a)
    __OPERATOR128(<=, !(b < a))
    __OPERATOR128(>=, !(a < b))
    // The upper word, so that its order is that of the numbers.
    __host__ __device__ constexpr unsigned long long top() const
    { return S(-1) < S(0) ? high ^ 1ull << 63 : high; }

    // The quotient, or what is left. A divisor of 0 is one of 64 bits, too.
    __host__ __device__ constexpr __integer128 divided(__integer128 by, bool left) const
    {
        bool minus = *this < 0, other = by < 0;
        __uint128_t a = minus ? -*this : *this, b = other ? -by : by, q(0, 0);
        if ((a.high | b.high) == 0 || (b.high | b.low) == 0) {
            q = a.low / b.low;
            a = a.low % b.low;
        } else {
            int n = b.zeros() - a.zeros();
            for (b = n > 0 ? b << n : b; n >= 0; --n, b = b >> 1) {
                q = q << 1;
                if (a >= b) {
                    a = a - b;
                    q.low |= 1;
                }
            }
        }
        if (left)
            return minus ? -a : a;
        return minus != other ? -q : q;
    }
};
#undef __OPERATOR128
#define __OPERATOR128(op)                                                                          \
    template <typename T, typename S>                                                              \
    __host__ __device__ constexpr auto operator op(T a, __integer128<S> b)                         \
    {                                                                                              \
        if constexpr (__real128<T>)                                                                \
            return a op T(b);                                                                      \
        else                                                                                       \
            return __integer128<S>(a) op b;                                                        \
    }
__OPERATOR128(+)
__OPERATOR128(-)
__OPERATOR128(*)
__OPERATOR128(/)
__OPERATOR128(%)
__OPERATOR128(&)
__OPERATOR128(|)
__OPERATOR128(^)
__OPERATOR128(==)
__OPERATOR128(!=)
__OPERATOR128(<)
__OPERATOR128(>)
__OPERATOR128(<=)
__OPERATOR128(>=)
