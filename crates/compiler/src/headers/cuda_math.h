// Small functions of libcu++ that a kernel may use, and the constants of `<numbers>`.
#pragma once

namespace cuda {

template <typename T, typename U>
__host__ __device__ constexpr auto ceil_div(T a, U b)
{ return a / b + (a % b != 0); }
template <typename T, typename U>
__host__ __device__ constexpr auto round_up(T a, U b)
{ return ceil_div(a, b) * b; }
template <typename T, typename U>
__host__ __device__ constexpr auto round_down(T a, U b)
{ return a / b * b; }
template <typename T = void> struct maximum {
    template <typename A, typename B> __host__ __device__ constexpr auto operator()(A a, B b) const
    { return a < b ? b : a; }
};
template <typename T = void> struct minimum {
    template <typename A, typename B> __host__ __device__ constexpr auto operator()(A a, B b) const
    { return b < a ? b : a; }
};

}

namespace std {

namespace numbers {
template <typename T> constexpr T e_v = T(2.718281828459045235360287471352662498);
template <typename T> constexpr T log2e_v = T(1.442695040888963407359924681001892137);
template <typename T> constexpr T log10e_v = T(0.434294481903251827651128918916605082);
template <typename T> constexpr T pi_v = T(3.141592653589793238462643383279502884);
template <typename T> constexpr T inv_pi_v = T(0.318309886183790671537767526745028724);
template <typename T> constexpr T inv_sqrtpi_v = T(0.564189583547756286948079451560772586);
template <typename T> constexpr T ln2_v = T(0.693147180559945309417232121458176568);
template <typename T> constexpr T ln10_v = T(2.302585092994045684017991454684364208);
template <typename T> constexpr T sqrt2_v = T(1.414213562373095048801688724209698079);
template <typename T> constexpr T sqrt3_v = T(1.732050807568877293527446341505872367);
template <typename T> constexpr T inv_sqrt3_v = T(0.577350269189625764509148780501957456);
template <typename T> constexpr T egamma_v = T(0.577215664901532860606512090082402431);
template <typename T> constexpr T phi_v = T(1.618033988749894848204586834365638118);
constexpr double e = e_v<double>, pi = pi_v<double>, inv_pi = inv_pi_v<double>;
constexpr double ln2 = ln2_v<double>, ln10 = ln10_v<double>, log2e = log2e_v<double>;
constexpr double log10e = log10e_v<double>, inv_sqrtpi = inv_sqrtpi_v<double>;
constexpr double sqrt2 = sqrt2_v<double>, sqrt3 = sqrt3_v<double>;
constexpr double inv_sqrt3 = inv_sqrt3_v<double>, egamma = egamma_v<double>, phi = phi_v<double>;
}

struct identity {
    template <typename T> __host__ __device__ constexpr T operator()(T v) const { return v; }
};
template <typename R, typename C, typename O, typename... Ts, typename... Us>
__host__ __device__ constexpr R invoke(R (C::*f)(Ts...), O &&object, Us... v)
{ return (object.*f)(v...); }
template <typename R, typename C, typename O, typename... Ts, typename... Us>
__host__ __device__ constexpr R invoke(R (C::*f)(Ts...) const, O &&object, Us... v)
{ return (object.*f)(v...); }
template <typename F, typename... Ts> __host__ __device__ constexpr auto invoke(F f, Ts... v)
{ return f(v...); }

}

namespace cuda {
namespace std {
using namespace ::std;
}
}
