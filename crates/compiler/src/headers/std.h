// What of the C++ library is of use on the device: type traits, limits, small types and functions.
// `cuda::std` has the same names.
#pragma once

namespace std {

template <typename T, T v> struct integral_constant {
    static constexpr T value = v;
    typedef T value_type;
    typedef integral_constant<T, v> type;
    __host__ __device__ constexpr operator T() const { return v; }
};
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <bool b> using bool_constant = integral_constant<bool, b>;

template <typename T, typename U> struct is_same : false_type {};
template <typename T> struct is_same<T, T> : true_type {};
template <bool c, typename T = void> struct enable_if {};
template <typename T> struct enable_if<true, T> { typedef T type; };
template <bool c, typename T, typename U> struct conditional { typedef T type; };
template <typename T, typename U> struct conditional<false, T, U> { typedef U type; };
template <typename T> struct remove_const { typedef T type; };
template <typename T> struct remove_const<const T> { typedef T type; };
template <typename T> struct remove_volatile { typedef T type; };
template <typename T> struct remove_cv { typedef typename remove_const<T>::type type; };
template <typename T> struct remove_reference { typedef T type; };
template <typename T> struct remove_pointer { typedef T type; };
template <typename T> struct remove_pointer<T *> { typedef T type; };
template <typename T> struct add_const { typedef const T type; };
template <typename T> struct decay { typedef typename remove_const<T>::type type; };

template <typename T> struct is_void : is_same<T, void> {};
template <typename T> struct is_pointer : false_type {};
template <typename T> struct is_pointer<T *> : true_type {};
template <typename T> struct is_const : false_type {};
template <typename T> struct is_const<const T> : true_type {};
template <typename T> struct __integer { static constexpr bool value = false; };
template <typename T> struct __real { static constexpr bool value = false; };
template <> struct __real<float> { static constexpr bool value = true; };
template <> struct __real<double> { static constexpr bool value = true; };
template <typename T> struct make_unsigned {};
template <typename T> struct make_signed {};
template <typename T> class numeric_limits {
public:
    static constexpr bool is_specialized = false;
};

#define __STD_INTEGER(T, U, S, low, high, negative, bits)                                          \
    template <> struct __integer<T> { static constexpr bool value = true; };                       \
    template <> struct make_unsigned<T> { typedef U type; };                                       \
    template <> struct make_signed<T> { typedef S type; };                                         \
    template <> class numeric_limits<T> {                                                          \
    public:                                                                                        \
        static constexpr bool is_specialized = true, is_signed = negative, is_integer = true;      \
        static constexpr bool is_exact = true, has_infinity = false, has_quiet_NaN = false;        \
        static constexpr int digits = bits, radix = 2, digits10 = bits * 643 / 2136;               \
        static __host__ __device__ constexpr T min() { return low; }                               \
        static __host__ __device__ constexpr T lowest() { return low; }                            \
        static __host__ __device__ constexpr T max() { return high; }                              \
        static __host__ __device__ constexpr T epsilon() { return 0; }                             \
    };
__STD_INTEGER(char, unsigned char, signed char, -128, 127, true, 7)
__STD_INTEGER(signed char, unsigned char, signed char, -128, 127, true, 7)
__STD_INTEGER(unsigned char, unsigned char, signed char, 0, 255, false, 8)
__STD_INTEGER(short, unsigned short, short, -32768, 32767, true, 15)
__STD_INTEGER(unsigned short, unsigned short, short, 0, 65535, false, 16)
__STD_INTEGER(int, unsigned int, int, -2147483647 - 1, 2147483647, true, 31)
__STD_INTEGER(unsigned int, unsigned int, int, 0, 4294967295u, false, 32)
__STD_INTEGER(long, unsigned long, long, -9223372036854775807L - 1, 9223372036854775807L, true, 63)
__STD_INTEGER(unsigned long, unsigned long, long, 0, 18446744073709551615UL, false, 64)
__STD_INTEGER(long long, unsigned long long, long long, -9223372036854775807LL - 1,
              9223372036854775807LL, true, 63)
__STD_INTEGER(unsigned long long, unsigned long long, long long, 0, 18446744073709551615ULL, false, 64)
#undef __STD_INTEGER
template <> struct __integer<bool> { static constexpr bool value = true; };

#define __STD_REAL(T, low, high, eps, tiny, inf, nan, bits, decimals)                              \
    template <> class numeric_limits<T> {                                                          \
    public:                                                                                        \
        static constexpr bool is_specialized = true, is_signed = true, is_integer = false;         \
        static constexpr bool is_exact = false, has_infinity = true, has_quiet_NaN = true;         \
        static constexpr int digits = bits, radix = 2, digits10 = decimals;                        \
        static __host__ __device__ constexpr T min() { return low; }                               \
        static __host__ __device__ constexpr T lowest() { return -high; }                          \
        static __host__ __device__ constexpr T max() { return high; }                              \
        static __host__ __device__ constexpr T epsilon() { return eps; }                           \
        static __host__ __device__ constexpr T denorm_min() { return tiny; }                       \
        static __host__ __device__ constexpr T round_error() { return 0.5; }                       \
        static __host__ __device__ constexpr T infinity() { return inf; }                          \
        static __host__ __device__ constexpr T quiet_NaN() { return nan; }                         \
    };
__STD_REAL(float, 1.175494351e-38f, 3.402823466e+38f, 1.192092896e-07f, 1.401298464e-45f,
           __int_as_float(0x7f800000), __int_as_float(0x7fc00000), 24, 6)
__STD_REAL(double, 2.2250738585072014e-308, 1.7976931348623157e+308, 2.2204460492503131e-16,
           4.9406564584124654e-324, __longlong_as_double(0x7ff0000000000000LL),
           __longlong_as_double(0x7ff8000000000000LL), 53, 15)
#undef __STD_REAL

template <typename T> struct is_integral : bool_constant<__integer<typename remove_const<T>::type>::value> {};
template <typename T> struct is_floating_point : bool_constant<__real<typename remove_const<T>::type>::value> {};
template <typename T> struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};
template <typename T> struct is_signed : bool_constant<is_arithmetic<T>::value && (T(-1) < T(0))> {};
template <typename T> struct is_unsigned : bool_constant<is_integral<T>::value && !(T(-1) < T(0))> {};

template <bool c, typename T = void> using enable_if_t = typename enable_if<c, T>::type;
template <bool c, typename T, typename U> using conditional_t = typename conditional<c, T, U>::type;
template <typename T> using remove_const_t = typename remove_const<T>::type;
template <typename T> using remove_cv_t = typename remove_cv<T>::type;
template <typename T> using remove_reference_t = T;
template <typename T> using remove_pointer_t = typename remove_pointer<T>::type;
template <typename T> using decay_t = typename decay<T>::type;
template <typename T> using make_unsigned_t = typename make_unsigned<T>::type;
template <typename T> using make_signed_t = typename make_signed<T>::type;
template <typename T, typename U> constexpr bool is_same_v = is_same<T, U>::value;
template <typename T> constexpr bool is_void_v = is_void<T>::value;
template <typename T> constexpr bool is_pointer_v = is_pointer<T>::value;
template <typename T> constexpr bool is_integral_v = is_integral<T>::value;
template <typename T> constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <typename T> constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <typename T> constexpr bool is_signed_v = is_signed<T>::value;
template <typename T> constexpr bool is_unsigned_v = is_unsigned<T>::value;

template <typename T> __host__ __device__ constexpr T min(const T &a, const T &b) { return b < a ? b : a; }
template <typename T> __host__ __device__ constexpr T max(const T &a, const T &b) { return a < b ? b : a; }
template <typename T> __host__ __device__ constexpr T clamp(const T &x, const T &low, const T &high)
{
    return x < low ? low : high < x ? high : x;
}
template <typename T> __host__ __device__ void swap(T &a, T &b)
{
    T c = a;
    a = b;
    b = c;
}
template <typename T> __host__ __device__ constexpr T move(const T &a) { return a; }

template <typename T, typename U> struct pair {
    typedef T first_type;
    typedef U second_type;
    T first;
    U second;
};
template <typename T, typename U> __host__ __device__ pair<T, U> make_pair(T a, U b) { return pair<T, U>{a, b}; }
template <typename T, typename U> __host__ __device__ bool operator==(const pair<T, U> &a, const pair<T, U> &b)
{
    return a.first == b.first && a.second == b.second;
}
template <typename T, typename U> __host__ __device__ bool operator<(const pair<T, U> &a, const pair<T, U> &b)
{
    return a.first < b.first || !(b.first < a.first) && a.second < b.second;
}

template <typename T, size_t N> struct array {
    T elements[N];
    __host__ __device__ T &operator[](size_t i) { return elements[i]; }
    __host__ __device__ const T &operator[](size_t i) const { return elements[i]; }
    __host__ __device__ constexpr size_t size() const { return N; }
    __host__ __device__ T *data() { return elements; }
    __host__ __device__ const T *data() const { return elements; }
    __host__ __device__ void fill(const T &v)
    {
        for (size_t i = 0; i < N; ++i)
            elements[i] = v;
    }
};

template <typename T = void> struct plus { __host__ __device__ T operator()(T a, T b) const { return a + b; } };
template <typename T = void> struct minus { __host__ __device__ T operator()(T a, T b) const { return a - b; } };
template <typename T = void> struct multiplies { __host__ __device__ T operator()(T a, T b) const { return a * b; } };
template <typename T = void> struct less { __host__ __device__ bool operator()(T a, T b) const { return a < b; } };
template <typename T = void> struct greater { __host__ __device__ bool operator()(T a, T b) const { return a > b; } };
template <typename T = void> struct equal_to { __host__ __device__ bool operator()(T a, T b) const { return a == b; } };

}

namespace cuda {
namespace std {
using namespace ::std;
}
}
