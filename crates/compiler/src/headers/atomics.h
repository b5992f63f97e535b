// Atomics of OpenCL C 2.0 and later. Every access is one of the device's atomic functions, whatever
// the scope that is asked for; an order that releases or acquires is a fence before or after it.
#pragma once

#define __CL_RELEASES(order) ((order) == 2u || (order) >= 3u)
#define __CL_ACQUIRES(order) ((order) == 1u || (order) >= 3u)
template <typename T> __device__ T __cl_atomic_bits(T *p)
{
    if constexpr (sizeof(T) == 8) {
        unsigned long long bits = atomicOr((unsigned long long *)p, 0ull);
        return *(T *)&bits;
    } else {
        unsigned int bits = atomicOr((unsigned int *)p, 0u);
        return *(T *)&bits;
    }
}

// Each function has a form with an order, and perhaps a scope; without one the order is the
// strictest, 4.
#define __CL_FETCH(name, joined) \
    template <typename T, typename U> \
    __device__ T __cl_atomic_##name##_explicit(T *p, U v, unsigned int order, unsigned int scope) \
    { \
        if (__CL_RELEASES(order)) __threadfence(); \
        T old = joined; \
        if (__CL_ACQUIRES(order)) __threadfence(); \
        return old; \
    } \
    template <typename T, typename U> \
    __device__ T __cl_atomic_##name##_explicit(T *p, U v, unsigned int order) \
    { return __cl_atomic_##name##_explicit(p, v, order, 1u); } \
    template <typename T, typename U> __device__ T __cl_atomic_##name(T *p, U v) \
    { return __cl_atomic_##name##_explicit(p, v, 4u, 1u); }
__CL_FETCH(exchange, atomicExch(p, (T)v))
__CL_FETCH(fetch_add, atomicAdd(p, (T)v))
__CL_FETCH(fetch_sub, atomicAdd(p, (T)(-(T)v)))
__CL_FETCH(fetch_min, atomicMin(p, (T)v))
__CL_FETCH(fetch_max, atomicMax(p, (T)v))
__CL_FETCH(fetch_and, atomicAnd(p, (T)v))
__CL_FETCH(fetch_or, atomicOr(p, (T)v))
__CL_FETCH(fetch_xor, atomicXor(p, (T)v))
#undef __CL_FETCH

template <typename T>
__device__ T __cl_atomic_load_explicit(T *p, unsigned int order, unsigned int scope)
{
    T v = __cl_atomic_bits(p);
    if (__CL_ACQUIRES(order))
        __threadfence();
    return v;
}
template <typename T> __device__ T __cl_atomic_load_explicit(T *p, unsigned int order)
{ return __cl_atomic_load_explicit(p, order, 1u); }
template <typename T> __device__ T __cl_atomic_load(T *p)
{ return __cl_atomic_load_explicit(p, 4u, 1u); }
template <typename T, typename U>
__device__ void __cl_atomic_store_explicit(T *p, U v, unsigned int order, unsigned int scope)
{
    if (__CL_RELEASES(order))
        __threadfence();
    atomicExch(p, (T)v);
}
template <typename T, typename U>
__device__ void __cl_atomic_store_explicit(T *p, U v, unsigned int order)
{ __cl_atomic_store_explicit(p, v, order, 1u); }
template <typename T, typename U> __device__ void __cl_atomic_store(T *p, U v)
{ __cl_atomic_store_explicit(p, v, 4u, 1u); }
// No other work-item reaches the object yet.
template <typename T, typename U> __device__ void __cl_atomic_init(T *p, U v) { *p = (T)v; }

#define __CL_COMPARE(name) \
    template <typename T, typename U> \
    __device__ bool __cl_atomic_compare_exchange_##name##_explicit( \
        T *p, T *expected, U v, unsigned int order, unsigned int failed, unsigned int scope) \
    { \
        if (__CL_RELEASES(order)) __threadfence(); \
        const T want = *expected; \
        const T old = atomicCAS(p, want, (T)v); \
        if (__CL_ACQUIRES(order) || __CL_ACQUIRES(failed)) __threadfence(); \
        if (old == want) return true; \
        *expected = old; \
        return false; \
    } \
    template <typename T, typename U> \
    __device__ bool __cl_atomic_compare_exchange_##name##_explicit( \
        T *p, T *expected, U v, unsigned int order, unsigned int failed) \
    { return __cl_atomic_compare_exchange_##name##_explicit(p, expected, v, order, failed, 1u); } \
    template <typename T, typename U> \
    __device__ bool __cl_atomic_compare_exchange_##name(T *p, T *expected, U v) \
    { return __cl_atomic_compare_exchange_##name##_explicit(p, expected, v, 4u, 4u, 1u); }
__CL_COMPARE(strong)
__CL_COMPARE(weak)
#undef __CL_COMPARE

__device__ bool __cl_atomic_flag_test_and_set_explicit(int *p, unsigned int order,
                                                       unsigned int scope)
{ return __cl_atomic_exchange_explicit(p, 1, order, scope) != 0; }
__device__ bool __cl_atomic_flag_test_and_set_explicit(int *p, unsigned int order)
{ return __cl_atomic_exchange_explicit(p, 1, order, 1u) != 0; }
__device__ bool __cl_atomic_flag_test_and_set(int *p)
{ return __cl_atomic_exchange_explicit(p, 1, 4u, 1u) != 0; }
__device__ void __cl_atomic_flag_clear_explicit(int *p, unsigned int order, unsigned int scope)
{ __cl_atomic_store_explicit(p, 0, order, scope); }
__device__ void __cl_atomic_flag_clear_explicit(int *p, unsigned int order)
{ __cl_atomic_store_explicit(p, 0, order, 1u); }
__device__ void __cl_atomic_flag_clear(int *p) { __cl_atomic_store_explicit(p, 0, 4u, 1u); }
__device__ void __cl_atomic_work_item_fence(unsigned int flags, unsigned int order,
                                            unsigned int scope)
{
    if (order != 0u)
        __threadfence();
}
#undef __CL_RELEASES
#undef __CL_ACQUIRES
