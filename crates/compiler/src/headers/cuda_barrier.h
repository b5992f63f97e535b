// Barriers, pipelines and asynchronous copies of libcu++. A copy is made at once; a barrier of a
// block waits for all its threads at `wait`, as __syncthreads() does.
#pragma once
#include <cooperative_groups.h>
#include <cuda/atomic>

namespace cuda {

template <size_t Align> struct aligned_size_t {
    size_t value;
    __host__ __device__ aligned_size_t(size_t n) : value(n) {}
    __host__ __device__ operator size_t() const { return value; }
};

template <thread_scope Scope> struct barrier {
    typedef int arrival_token;
    int __expected;
    __device__ barrier() {}
    __device__ arrival_token arrive(int n = 1)
    {
        __threadfence_block();
        return n;
    }
    __device__ void wait(arrival_token) const { __wait(); }
    __device__ void arrive_and_wait() { __wait(); }
    __device__ void __wait() const
    {
        assert(__expected == blockDim.x * blockDim.y * blockDim.z &&
               "a barrier waits for the whole block");
        __syncthreads();
    }
};
template <thread_scope Scope> __device__ void init(barrier<Scope> *b, int expected)
{ b->__expected = expected; }

// Where threads have roles: stages that producers have filled and that consumers have released,
// each counted by thread, and the number of producers and of consumers.
template <thread_scope Scope, int Stages> struct pipeline_shared_state {
    unsigned int __counts[4];
    __device__ pipeline_shared_state() {}
};
enum class pipeline_role { producer, consumer };
template <thread_scope Scope> struct pipeline {
    unsigned int *__counts;
    unsigned int __stages, __round;
    __device__ pipeline() : __counts(nullptr), __stages(1), __round(0) {}
    __device__ void __sync() const
    {
        if (Scope == thread_scope_block)
            __syncthreads();
    }
    __device__ void __wait(int which, unsigned int count) const
    {
        while (atomicAdd(&__counts[which], 0u) < count) {
        }
        __threadfence_block();
    }
    __device__ void __done(int which)
    {
        __threadfence_block();
        atomicAdd(&__counts[which], 1u);
        ++__round;
    }
    __device__ void producer_acquire()
    {
        if (__counts != nullptr && __round >= __stages)
            __wait(1, (__round - __stages + 1) * __counts[3]);
    }
    __device__ void producer_commit()
    {
        if (__counts != nullptr)
            __done(0);
    }
    __device__ void consumer_wait()
    {
        if (__counts != nullptr)
            __wait(0, (__round + 1) * __counts[2]);
        else
            __sync();
    }
    __device__ void consumer_release()
    {
        if (__counts != nullptr)
            __done(1);
        else
            __sync();
    }
    __device__ bool quit() { return true; }
};
__device__ pipeline<thread_scope_thread> make_pipeline() { return pipeline<thread_scope_thread>(); }
template <typename Group, thread_scope Scope, int Stages>
__device__ pipeline<Scope> make_pipeline(const Group &group,
                                         pipeline_shared_state<Scope, Stages> *state)
{
    return pipeline<Scope>();
}
template <typename Group, thread_scope Scope, int Stages>
__device__ pipeline<Scope> make_pipeline(const Group &group,
                                         pipeline_shared_state<Scope, Stages> *state,
                                         pipeline_role role)
{
    pipeline<Scope> p;
    p.__counts = state->__counts;
    p.__stages = Stages;
    if (group.thread_rank() < 4)
        p.__counts[group.thread_rank()] = 0;
    group.sync();
    atomicAdd(&p.__counts[role == pipeline_role::producer ? 2 : 3], 1u);
    group.sync();
    return p;
}
template <int Prior, thread_scope Scope>
__device__ void pipeline_consumer_wait_prior(pipeline<Scope> &p)
{ p.consumer_wait(); }

__device__ void __copy(void *to, const void *from, size_t rank, size_t threads, size_t bytes)
{
    if ((((size_t)to | (size_t)from | bytes) & 3) == 0) {
        for (size_t i = rank; i < bytes / 4; i += threads)
            ((unsigned int *)to)[i] = ((const unsigned int *)from)[i];
    } else {
        for (size_t i = rank; i < bytes; i += threads)
            ((char *)to)[i] = ((const char *)from)[i];
    }
}
template <typename Group, typename T, typename Size, typename Sync>
__device__ void memcpy_async(const Group &group, T *to, const T *from, Size bytes, Sync &sync)
{
    __copy(to, from, group.thread_rank(), group.size(), bytes);
}
template <typename T, typename Size, typename Sync>
__device__ void memcpy_async(T *to, const T *from, Size bytes, Sync &sync)
{
    __copy(to, from, 0, 1, bytes);
}

}
