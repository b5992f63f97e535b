// Atomic objects of libcu++. Every access is one of the device's atomic functions, whatever the
// order that is asked for.
#pragma once

namespace cuda {

enum thread_scope {
    thread_scope_system,
    thread_scope_device,
    thread_scope_block,
    thread_scope_thread
};
namespace std {
enum memory_order {
    memory_order_relaxed,
    memory_order_consume,
    memory_order_acquire,
    memory_order_release,
    memory_order_acq_rel,
    memory_order_seq_cst
};
}
using std::memory_order;
using std::memory_order_relaxed;
using std::memory_order_consume;
using std::memory_order_acquire;
using std::memory_order_release;
using std::memory_order_acq_rel;
using std::memory_order_seq_cst;

// A value with the bits that an atomic function reads.
template <typename T> __device__ T __atomic_read(T *p)
{
    if constexpr (sizeof(T) == 8) {
        unsigned long long bits = atomicOr((unsigned long long *)p, 0ULL);
        return *(T *)&bits;
    } else {
        unsigned int bits = atomicOr((unsigned int *)p, 0U);
        return *(T *)&bits;
    }
}
__device__ void __atomic_before(memory_order order)
{
    if (order >= memory_order_release)
        __threadfence();
}
__device__ void __atomic_after(memory_order order)
{
    if (order != memory_order_relaxed && order != memory_order_release)
        __threadfence();
}

template <typename T, thread_scope Scope = thread_scope_system> struct atomic_ref {
    T *p;
    __device__ explicit atomic_ref(T &v) : p(&v) {}
    __device__ T load(memory_order order = memory_order_seq_cst) const
    {
        T v = __atomic_read(p);
        __atomic_after(order);
        return v;
    }
    __device__ T exchange(T v, memory_order order = memory_order_seq_cst) const
    {
        __atomic_before(order);
        T old = atomicExch(p, v);
        __atomic_after(order);
        return old;
    }
    __device__ void store(T v, memory_order order = memory_order_seq_cst) const
    { exchange(v, order); }
    __device__ bool compare_exchange_strong(T &expected, T v,
                                            memory_order order = memory_order_seq_cst) const
    {
        __atomic_before(order);
        T old = atomicCAS(p, expected, v);
        __atomic_after(order);
        bool done = old == expected;
        expected = old;
        return done;
    }
    __device__ bool compare_exchange_strong(T &expected, T v, memory_order order,
                                            memory_order) const
    {
        return compare_exchange_strong(expected, v, order);
    }
    __device__ bool compare_exchange_weak(T &expected, T v,
                                          memory_order order = memory_order_seq_cst) const
    {
        return compare_exchange_strong(expected, v, order);
    }
    __device__ bool compare_exchange_weak(T &expected, T v, memory_order order, memory_order) const
    {
        return compare_exchange_strong(expected, v, order);
    }
#define __ATOMIC_FETCH(name, function, operand)                                                    \
    __device__ T name(T v, memory_order order = memory_order_seq_cst) const                        \
    {                                                                                              \
        __atomic_before(order);                                                                    \
        T old = function(p, operand);                                                              \
        __atomic_after(order);                                                                     \
        return old;                                                                                \
    }
    __ATOMIC_FETCH(fetch_add, atomicAdd, v)
    __ATOMIC_FETCH(fetch_sub, atomicAdd, T(0) - v)
    __ATOMIC_FETCH(fetch_min, atomicMin, v)
    __ATOMIC_FETCH(fetch_max, atomicMax, v)
    __ATOMIC_FETCH(fetch_and, atomicAnd, v)
    __ATOMIC_FETCH(fetch_or, atomicOr, v)
    __ATOMIC_FETCH(fetch_xor, atomicXor, v)
#undef __ATOMIC_FETCH
    __device__ operator T() const { return load(); }
    __device__ T operator++() const { return fetch_add(T(1)) + T(1); }
    __device__ T operator++(int) const { return fetch_add(T(1)); }
    __device__ T operator--() const { return fetch_sub(T(1)) - T(1); }
    __device__ T operator--(int) const { return fetch_sub(T(1)); }
    __device__ T operator+=(T v) const { return fetch_add(v) + v; }
    __device__ T operator-=(T v) const { return fetch_sub(v) - v; }
    __device__ void wait(T old, memory_order order = memory_order_seq_cst) const
    {
        while (load(order) == old)
            ;
    }
    __device__ void notify_one() const {}
    __device__ void notify_all() const {}
};

template <typename T, thread_scope Scope = thread_scope_system> struct atomic {
    T __value;
    __host__ __device__ constexpr atomic() = default;
    __host__ __device__ constexpr atomic(T v) : __value(v) {}
    __device__ atomic_ref<T, Scope> __ref() { return atomic_ref<T, Scope>(__value); }
    __device__ T load(memory_order order = memory_order_seq_cst) { return __ref().load(order); }
    __device__ void store(T v, memory_order order = memory_order_seq_cst)
    { __ref().store(v, order); }
    __device__ T exchange(T v, memory_order order = memory_order_seq_cst)
    { return __ref().exchange(v, order); }
    __device__ bool compare_exchange_strong(T &e, T v, memory_order order = memory_order_seq_cst)
    { return __ref().compare_exchange_strong(e, v, order); }
    __device__ bool compare_exchange_strong(T &e, T v, memory_order order, memory_order)
    { return __ref().compare_exchange_strong(e, v, order); }
    __device__ bool compare_exchange_weak(T &e, T v, memory_order order = memory_order_seq_cst)
    { return __ref().compare_exchange_strong(e, v, order); }
    __device__ bool compare_exchange_weak(T &e, T v, memory_order order, memory_order)
    { return __ref().compare_exchange_strong(e, v, order); }
    __device__ T fetch_add(T v, memory_order order = memory_order_seq_cst)
    { return __ref().fetch_add(v, order); }
    __device__ T fetch_sub(T v, memory_order order = memory_order_seq_cst)
    { return __ref().fetch_sub(v, order); }
    __device__ T fetch_min(T v, memory_order order = memory_order_seq_cst)
    { return __ref().fetch_min(v, order); }
    __device__ T fetch_max(T v, memory_order order = memory_order_seq_cst)
    { return __ref().fetch_max(v, order); }
    __device__ T fetch_and(T v, memory_order order = memory_order_seq_cst)
    { return __ref().fetch_and(v, order); }
    __device__ T fetch_or(T v, memory_order order = memory_order_seq_cst)
    { return __ref().fetch_or(v, order); }
    __device__ T fetch_xor(T v, memory_order order = memory_order_seq_cst)
    { return __ref().fetch_xor(v, order); }
    __device__ operator T() { return load(); }
    __device__ T operator=(T v)
    {
        store(v);
        return v;
    }
    __device__ T operator++() { return fetch_add(T(1)) + T(1); }
    __device__ T operator++(int) { return fetch_add(T(1)); }
    __device__ T operator--() { return fetch_sub(T(1)) - T(1); }
    __device__ T operator--(int) { return fetch_sub(T(1)); }
    __device__ T operator+=(T v) { return fetch_add(v) + v; }
    __device__ T operator-=(T v) { return fetch_sub(v) - v; }
    __device__ void wait(T old, memory_order order = memory_order_seq_cst)
    { __ref().wait(old, order); }
    __device__ void notify_one() {}
    __device__ void notify_all() {}
};

__device__ void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system)
{ __threadfence(); }
}
