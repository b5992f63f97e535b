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
__STD_INTEGER(unsigned long long, unsigned long long, long long, 0, 18446744073709551615ULL, false,
              64)
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

template <typename T> struct is_integral
    : bool_constant<__integer<typename remove_const<T>::type>::value> {};
template <typename T> struct is_floating_point
    : bool_constant<__real<typename remove_const<T>::type>::value> {};
template <typename T> struct is_arithmetic
    : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};
template <typename T> struct is_signed : bool_constant<is_arithmetic<T>::value && (T(-1) < T(0))> {
};
template <typename T> struct is_unsigned : bool_constant<is_integral<T>::value && !(T(-1) < T(0))> {
};

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
template <typename T, typename U>
constexpr bool is_convertible_v = requires(T a, void (&f)(U)) { f(a); };
template <typename T, typename U>
constexpr bool is_base_of_v = requires(U *p, void (&f)(const T *)) { f(p); };
template <typename F, typename... Ts>
constexpr bool is_invocable_v = requires(F &f, Ts... a) { f(a...); };
template <typename T, typename U> struct is_convertible : bool_constant<is_convertible_v<T, U>> {};
template <typename T, typename U> struct is_base_of : bool_constant<is_base_of_v<T, U>> {};
template <typename F, typename... Ts> struct is_invocable
    : bool_constant<is_invocable_v<F, Ts...>> {};

template <typename T> __host__ __device__ constexpr T min(const T &a, const T &b)
{ return b < a ? b : a; }
template <typename T> __host__ __device__ constexpr T max(const T &a, const T &b)
{ return a < b ? b : a; }
template <typename T, typename F> __host__ __device__ constexpr T min(const T &a, const T &b, F f)
{ return f(b, a) ? b : a; }
template <typename T, typename F> __host__ __device__ constexpr T max(const T &a, const T &b, F f)
{ return f(a, b) ? b : a; }
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
// Moving is copying here.
template <typename T> __host__ __device__ constexpr T &&move(T &&a) { return static_cast<T &&>(a); }
template <typename T> __host__ __device__ constexpr T &&forward(T &a)
{ return static_cast<T &&>(a); }
template <typename T, typename U> __host__ __device__ T exchange(T &a, U b)
{
    T old = a;
    a = b;
    return old;
}
template <typename T> __host__ __device__ T declval();
template <typename T> __host__ __device__ constexpr T *addressof(T &a) { return &a; }
template <typename To, typename From> __host__ __device__ To bit_cast(const From &from)
{
    static_assert(sizeof(To) == sizeof(From), "bit_cast needs types of one size");
    return *reinterpret_cast<const To *>(&from);
}

// Bits of unsigned numbers.
template <typename T> __host__ __device__ constexpr int popcount(T v)
{ return sizeof(T) > 4 ? __popcll(v) : __popc(v); }
template <typename T> __host__ __device__ constexpr int countl_zero(T v)
{ return sizeof(T) > 4 ? __clzll(v) : __clz(v) - 32 + 8 * (int)sizeof(T); }
template <typename T> __host__ __device__ constexpr int countr_zero(T v)
{ return v ? __ffsll(v) - 1 : 8 * sizeof(T); }
template <typename T> __host__ __device__ constexpr int countl_one(T v)
{ return countl_zero(T(~v)); }
template <typename T> __host__ __device__ constexpr int countr_one(T v)
{ return countr_zero(T(~v)); }
template <typename T> __host__ __device__ constexpr int bit_width(T v)
{ return 8 * sizeof(T) - countl_zero(v); }
template <typename T> __host__ __device__ constexpr bool has_single_bit(T v)
{ return v && !(v & (v - 1)); }
template <typename T> __host__ __device__ constexpr T bit_floor(T v)
{ return v ? T(1) << (bit_width(v) - 1) : 0; }
template <typename T> __host__ __device__ constexpr T bit_ceil(T v)
{ return v < 2 ? 1 : T(1) << bit_width(T(v - 1)); }
template <typename T> __host__ __device__ constexpr T rotl(T v, int n)
{
    constexpr int bits = 8 * sizeof(T);
    return T(v << (n & (bits - 1)) | v >> (-n & (bits - 1)));
}
template <typename T> __host__ __device__ constexpr T rotr(T v, int n) { return rotl(v, -n); }

template <typename... Ts> using void_t = void;
template <typename T, T... v> struct integer_sequence {
    typedef T value_type;
    static constexpr size_t size() { return sizeof...(v); }
};
template <size_t... v> struct index_sequence {
    typedef size_t value_type;
    static constexpr size_t size() { return sizeof...(v); }
};
template <size_t n, size_t... v> struct __count : __count<n - 1, n - 1, v...> {};
template <size_t... v> struct __count<0, v...> {
    typedef index_sequence<v...> type;
    template <typename T> using of = integer_sequence<T, T(v)...>;
};
template <size_t n> using make_index_sequence = typename __count<n>::type;
template <typename T, T n> using make_integer_sequence = typename __count<n>::template of<T>;
template <typename... Ts> using index_sequence_for = make_index_sequence<sizeof...(Ts)>;
template <typename... Bs> struct conjunction : bool_constant<(Bs::value && ...)> {};
template <typename... Bs> struct disjunction : bool_constant<(Bs::value || ...)> {};
template <typename B> struct negation : bool_constant<!B::value> {};
template <typename... Bs> constexpr bool conjunction_v = conjunction<Bs...>::value;
template <typename... Bs> constexpr bool disjunction_v = disjunction<Bs...>::value;
template <typename A, typename B> struct common_type {
    typedef decltype(true ? declval<A>() : declval<B>()) type;
};
template <typename A, typename B> using common_type_t = typename common_type<A, B>::type;
template <typename F, typename... Ts> struct invoke_result {
    typedef decltype(declval<F>()(declval<Ts>()...)) type;
};
template <typename F, typename... Ts> using invoke_result_t =
    typename invoke_result<F, Ts...>::type;

template <typename T, typename U> struct pair {
    typedef T first_type;
    typedef U second_type;
    T first;
    U second;
    __host__ __device__ constexpr pair() : first(), second() {}
    __host__ __device__ constexpr pair(const T &a, const U &b) : first(a), second(b) {}
};
template <typename T, typename U> __host__ __device__ pair<T, U> make_pair(T a, U b)
{ return pair<T, U>{a, b}; }
template <typename T, typename U>
__host__ __device__ bool operator==(const pair<T, U> &a, const pair<T, U> &b)
{
    return a.first == b.first && a.second == b.second;
}
template <typename T, typename U>
__host__ __device__ bool operator<(const pair<T, U> &a, const pair<T, U> &b)
{
    return a.first < b.first || !(b.first < a.first) && a.second < b.second;
}

template <typename T, size_t N> struct array {
    T __elements[N];
    __host__ __device__ T &operator[](size_t i) { return __elements[i]; }
    __host__ __device__ const T &operator[](size_t i) const { return __elements[i]; }
    __host__ __device__ constexpr size_t size() const { return N; }
    __host__ __device__ constexpr bool empty() const { return N == 0; }
    __host__ __device__ T &at(size_t i) { return __elements[i]; }
    __host__ __device__ const T &at(size_t i) const { return __elements[i]; }
    __host__ __device__ T &front() { return __elements[0]; }
    __host__ __device__ const T &front() const { return __elements[0]; }
    __host__ __device__ T &back() { return __elements[N - 1]; }
    __host__ __device__ const T &back() const { return __elements[N - 1]; }
    __host__ __device__ T *begin() { return __elements; }
    __host__ __device__ const T *begin() const { return __elements; }
    __host__ __device__ T *end() { return __elements + N; }
    __host__ __device__ const T *end() const { return __elements + N; }
    __host__ __device__ T *data() { return __elements; }
    __host__ __device__ const T *data() const { return __elements; }
    __host__ __device__ void fill(const T &v)
    {
        for (size_t i = 0; i < N; ++i)
            __elements[i] = v;
    }
};

constexpr size_t dynamic_extent = ~size_t(0);

template <typename T, size_t N = dynamic_extent> class span {
    T *__first;
    size_t __count;

public:
    __host__ __device__ constexpr span() : __first(nullptr), __count(0) {}
    __host__ __device__ constexpr span(T *first, size_t count) : __first(first), __count(count) {}
    template <size_t M> __host__ __device__ constexpr span(T (&a)[M]) : __first(a), __count(M) {}
    template <typename U, size_t M> __host__ __device__ constexpr span(array<U, M> &a)
        : __first(a.data()), __count(M)
    {
    }
    template <typename U, size_t M> __host__ __device__ constexpr span(const span<U, M> &s)
        : __first(s.data()), __count(s.size())
    {
    }
    __host__ __device__ constexpr T &operator[](size_t i) const { return __first[i]; }
    __host__ __device__ constexpr T *data() const { return __first; }
    __host__ __device__ constexpr size_t size() const { return __count; }
    __host__ __device__ constexpr size_t size_bytes() const { return __count * sizeof(T); }
    __host__ __device__ constexpr bool empty() const { return __count == 0; }
    __host__ __device__ constexpr T &front() const { return __first[0]; }
    __host__ __device__ constexpr T &back() const { return __first[__count - 1]; }
    __host__ __device__ constexpr T *begin() const { return __first; }
    __host__ __device__ constexpr T *end() const { return __first + __count; }
    __host__ __device__ constexpr span<T> first(size_t n) const { return span<T>(__first, n); }
    __host__ __device__ constexpr span<T> last(size_t n) const
    { return span<T>(__first + (__count - n), n); }
    __host__ __device__ constexpr span<T> subspan(size_t at, size_t n = dynamic_extent) const
    {
        return span<T>(__first + at, n == dynamic_extent ? __count - at : n);
    }
};

template <typename... Ts> struct tuple;
template <> struct tuple<> {};
template <typename T, typename... Ts> struct tuple<T, Ts...> {
    T __first;
    tuple<Ts...> __rest;
    __host__ __device__ constexpr tuple() : __first(), __rest() {}
    __host__ __device__ constexpr tuple(const T &first, const Ts &...rest)
        : __first(first), __rest(rest...)
    {
    }
};
template <typename... Ts> tuple(Ts...) -> tuple<Ts...>;
template <typename T, typename... Ts> array(T, Ts...) -> array<T, 1 + sizeof...(Ts)>;
template <size_t i, typename T> struct tuple_element;
template <typename T, typename... Ts> struct tuple_element<0, tuple<T, Ts...>> { typedef T type; };
template <size_t i, typename T, typename... Ts> struct tuple_element<i, tuple<T, Ts...>> {
    typedef typename tuple_element<i - 1, tuple<Ts...>>::type type;
};
template <typename T, typename U> struct tuple_element<0, pair<T, U>> { typedef T type; };
template <typename T, typename U> struct tuple_element<1, pair<T, U>> { typedef U type; };
template <size_t i, typename T, size_t N> struct tuple_element<i, array<T, N>> { typedef T type; };
template <size_t i, typename T> using tuple_element_t = typename tuple_element<i, T>::type;
template <typename T> struct tuple_size;
template <typename... Ts> struct tuple_size<tuple<Ts...>>
    : integral_constant<size_t, sizeof...(Ts)> {};
template <typename T, typename U> struct tuple_size<pair<T, U>> : integral_constant<size_t, 2> {};
template <typename T, size_t N> struct tuple_size<array<T, N>> : integral_constant<size_t, N> {};
template <typename T> constexpr size_t tuple_size_v = tuple_size<T>::value;
template <typename... Ts> __host__ __device__ constexpr tuple<Ts...> make_tuple(Ts... v)
{ return tuple<Ts...>(v...); }

template <size_t i, typename T, typename... Ts>
__host__ __device__ constexpr auto &get(tuple<T, Ts...> &t)
{
    if constexpr (i == 0)
        return t.__first;
    else
        return get<i - 1>(t.__rest);
}
template <size_t i, typename T, typename... Ts>
__host__ __device__ constexpr const auto &get(const tuple<T, Ts...> &t)
{
    if constexpr (i == 0)
        return t.__first;
    else
        return get<i - 1>(t.__rest);
}
template <size_t i, typename T, typename U> __host__ __device__ constexpr auto &get(pair<T, U> &p)
{
    if constexpr (i == 0)
        return p.first;
    else
        return p.second;
}
template <size_t i, typename T, typename U>
__host__ __device__ constexpr const auto &get(const pair<T, U> &p)
{
    if constexpr (i == 0)
        return p.first;
    else
        return p.second;
}
template <size_t i, typename T, size_t N> __host__ __device__ constexpr T &get(array<T, N> &a)
{ return a.__elements[i]; }
template <size_t i, typename T, size_t N>
__host__ __device__ constexpr const T &get(const array<T, N> &a)
{ return a.__elements[i]; }

template <typename F, typename T, size_t... i>
__host__ __device__ constexpr auto __apply(F &f, const T &t, index_sequence<i...>)
{
    return f(get<i>(t)...);
}
template <typename F, typename T> __host__ __device__ constexpr auto apply(F f, const T &t)
{
    return __apply(f, t, make_index_sequence<tuple_size<T>::value>());
}

struct nullopt_t {};
constexpr nullopt_t nullopt{};
template <typename T> class optional {
    T held;
    bool full;

public:
    __host__ __device__ optional() : held(), full(false) {}
    __host__ __device__ optional(nullopt_t) : held(), full(false) {}
    __host__ __device__ optional(const T &v) : held(v), full(true) {}
    __host__ __device__ bool has_value() const { return full; }
    __host__ __device__ explicit operator bool() const { return full; }
    __host__ __device__ T &value() { return held; }
    __host__ __device__ const T &value() const { return held; }
    __host__ __device__ T &operator*() { return held; }
    __host__ __device__ const T &operator*() const { return held; }
    __host__ __device__ T value_or(T other) const { return full ? held : other; }
    __host__ __device__ void reset() { full = false; }
    __host__ __device__ T *operator->() { return &held; }
    __host__ __device__ const T *operator->() const { return &held; }
    template <typename... Ts> __host__ __device__ T &emplace(Ts... v)
    {
        full = true;
        return held = T(v...);
    }
};

#define __STD_FUNCTION(name, op)                                                                   \
    template <typename T = void> struct name {                                                     \
        __host__ __device__ constexpr auto operator()(const T &a, const T &b) const                \
        { return a op b; }                                                                         \
    };                                                                                             \
    template <> struct name<void> {                                                                \
        template <typename A, typename B>                                                          \
        __host__ __device__ constexpr auto operator()(const A &a, const B &b) const                \
        { return a op b; }                                                                         \
    };
__STD_FUNCTION(plus, +)
__STD_FUNCTION(minus, -)
__STD_FUNCTION(multiplies, *)
__STD_FUNCTION(divides, /)
__STD_FUNCTION(modulus, %)
__STD_FUNCTION(bit_and, &)
__STD_FUNCTION(bit_or, |)
__STD_FUNCTION(bit_xor, ^)
__STD_FUNCTION(logical_and, &&)
__STD_FUNCTION(logical_or, ||)
__STD_FUNCTION(less, <)
__STD_FUNCTION(greater, >)
__STD_FUNCTION(less_equal, <=)
__STD_FUNCTION(greater_equal, >=)
__STD_FUNCTION(equal_to, ==)
__STD_FUNCTION(not_equal_to, !=)
#undef __STD_FUNCTION
template <typename T = void> struct negate {
    __host__ __device__ constexpr T operator()(const T &a) const { return -a; }
};
}

namespace cuda {
namespace std {
using namespace ::std;
}
}
