// The concepts of the C++ library, of which `cuda::std` has the same.
#pragma once
#include <std.h>

namespace std {

template <typename T, typename U> concept same_as = is_same_v<T, U> && is_same_v<U, T>;
template <typename T> concept integral = is_integral_v<T>;
template <typename T> concept signed_integral = integral<T> && is_signed_v<T>;
template <typename T> concept unsigned_integral = integral<T> && !signed_integral<T>;
template <typename T> concept floating_point = is_floating_point_v<T>;
template <typename T, typename U> concept convertible_to = requires(T a, void (&f)(U)) { f(a); };
template <typename T, typename U> concept derived_from = is_base_of_v<U, T>;
template <typename T, typename... Ts> concept constructible_from = requires(Ts... a) { T(a...); };
template <typename T> concept default_initializable = requires { T{}; };
template <typename T> concept move_constructible = constructible_from<T, T>;
template <typename T> concept copy_constructible =
    move_constructible<T> && requires(const T &a) { T(a); };
template <typename T, typename U> concept assignable_from = requires(T &a, U b) { a = b; };
template <typename T> concept copyable = copy_constructible<T> && assignable_from<T, T>;
template <typename T> concept semiregular = copyable<T> && default_initializable<T>;
template <typename T> concept equality_comparable = requires(const T &a, const T &b) {
    { a == b } -> convertible_to<bool>;
    { a != b } -> convertible_to<bool>;
};
template <typename T> concept totally_ordered =
    equality_comparable<T> && requires(const T &a, const T &b) {
        { a < b } -> convertible_to<bool>;
        { a > b } -> convertible_to<bool>;
        { a <= b } -> convertible_to<bool>;
        { a >= b } -> convertible_to<bool>;
    };
template <typename F, typename... Ts> concept invocable = requires(F &f, Ts... a) { f(a...); };
template <typename F, typename... Ts> concept predicate = requires(F &f, Ts... a) {
    { f(a...) } -> convertible_to<bool>;
};

}
