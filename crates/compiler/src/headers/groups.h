// Functions of OpenCL 2.x over a sub-group, which is a warp of 32, and over a work-group. All
// work-items of the group call them.
#pragma once

__device__ unsigned int __cl_get_sub_group_local_id() { return __cl_local_number() % 32u; }
__device__ unsigned int __cl_get_sub_group_id() { return __cl_local_number() / 32u; }
__device__ unsigned int __cl_get_max_sub_group_size() { return 32u; }
__device__ unsigned int __cl_get_num_sub_groups() { return (__cl_local_count() + 31u) / 32u; }
__device__ unsigned int __cl_get_enqueued_num_sub_groups() { return __cl_get_num_sub_groups(); }
__device__ unsigned int __cl_get_sub_group_size() { return min(32u, __cl_local_count() - 32u * __cl_get_sub_group_id()); }
__device__ unsigned int __cl_sub_group_mask() { return 0xffffffffu >> (32u - __cl_get_sub_group_size()); }
__device__ unsigned long long __cl_get_local_linear_id() { return __cl_local_number(); }
__device__ unsigned long long __cl_get_global_linear_id()
{
    unsigned long long x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned long long z = blockIdx.z * blockDim.z + threadIdx.z;
    return x + gridDim.x * blockDim.x * (y + gridDim.y * blockDim.y * z);
}

// ---- sub-groups
__device__ void __cl_sub_group_barrier(unsigned int flags) { __syncwarp(__cl_sub_group_mask()); }
__device__ int __cl_sub_group_all(int p) { return __all_sync(__cl_sub_group_mask(), p); }
__device__ int __cl_sub_group_any(int p) { return __any_sync(__cl_sub_group_mask(), p); }
template <typename T> __device__ T __cl_sub_group_broadcast(T x, unsigned int from) { return __shfl_sync(__cl_sub_group_mask(), x, from); }
template <typename T> __device__ T __cl_sub_group_shuffle(T x, unsigned int from) { return __shfl_sync(__cl_sub_group_mask(), x, from); }
template <typename T> __device__ T __cl_sub_group_shuffle_xor(T x, unsigned int bits) { return __shfl_xor_sync(__cl_sub_group_mask(), x, bits); }

#define __CL_GROUP(op, joined)                                                                     \
    template <typename T> __device__ T __cl_sub_group_reduce_##op(T a)                             \
    {                                                                                              \
        const unsigned int lane = __cl_get_sub_group_local_id(), size = __cl_get_sub_group_size(); \
        for (unsigned int step = 16; step > 0; step >>= 1) {                                       \
            T b = __shfl_sync(__cl_sub_group_mask(), a, min(lane + step, size - 1u));              \
            a = lane + step < size ? (T)(joined) : a;                                              \
        }                                                                                          \
        return __shfl_sync(__cl_sub_group_mask(), a, 0);                                           \
    }                                                                                              \
    template <typename T> __device__ T __cl_sub_group_scan_inclusive_##op(T a)                     \
    {                                                                                              \
        const unsigned int lane = __cl_get_sub_group_local_id();                                   \
        for (unsigned int step = 1; step < 32; step <<= 1) {                                       \
            T b = __shfl_sync(__cl_sub_group_mask(), a, lane < step ? lane : lane - step);         \
            a = lane < step ? a : (T)(joined);                                                     \
        }                                                                                          \
        return a;                                                                                  \
    }                                                                                              \
    template <typename T> __device__ T __cl_work_group_reduce_##op(T x)                            \
    {                                                                                              \
        __shared__ T parts[32];                                                                    \
        T a = __cl_sub_group_reduce_##op(x);                                                       \
        if (__cl_get_sub_group_local_id() == 0)                                                    \
            parts[__cl_get_sub_group_id()] = a;                                                    \
        __syncthreads();                                                                           \
        a = parts[0];                                                                              \
        for (unsigned int k = 1; k < __cl_get_num_sub_groups(); ++k) {                             \
            T b = parts[k];                                                                        \
            a = (T)(joined);                                                                       \
        }                                                                                          \
        __syncthreads();                                                                           \
        return a;                                                                                  \
    }                                                                                              \
    template <typename T> __device__ T __cl_work_group_scan_inclusive_##op(T x)                    \
    {                                                                                              \
        __shared__ T parts[32];                                                                    \
        T a = __cl_sub_group_scan_inclusive_##op(x);                                               \
        if (__cl_get_sub_group_local_id() == __cl_get_sub_group_size() - 1)                        \
            parts[__cl_get_sub_group_id()] = a;                                                    \
        __syncthreads();                                                                           \
        for (unsigned int k = 0; k < __cl_get_sub_group_id(); ++k) {                               \
            T b = parts[k];                                                                        \
            a = (T)(joined);                                                                       \
        }                                                                                          \
        __syncthreads();                                                                           \
        return a;                                                                                  \
    }
__CL_GROUP(add, a + b)
__CL_GROUP(min, min(a, b))
__CL_GROUP(max, max(a, b))
#undef __CL_GROUP

template <typename T> __device__ T __cl_sub_group_scan_exclusive_add(T x)
{
    const unsigned int lane = __cl_get_sub_group_local_id();
    T below = __shfl_sync(__cl_sub_group_mask(), __cl_sub_group_scan_inclusive_add(x), lane == 0 ? 0 : lane - 1);
    return lane == 0 ? (T)0 : below;
}

// ---- work-groups
__device__ void __cl_work_group_barrier(unsigned int flags) { __syncthreads(); }
__device__ int __cl_work_group_all(int p) { return __syncthreads_and(p); }
__device__ int __cl_work_group_any(int p) { return __syncthreads_or(p); }
template <typename T> __device__ T __cl_work_group_broadcast(T x, unsigned long long from)
{
    __shared__ T part;
    if (__cl_local_number() == from)
        part = x;
    __syncthreads();
    T value = part;
    __syncthreads();
    return value;
}
template <typename T> __device__ T __cl_work_group_scan_exclusive_add(T x)
{
    __shared__ T parts[32];
    T a = __cl_sub_group_scan_exclusive_add(x);
    if (__cl_get_sub_group_local_id() == __cl_get_sub_group_size() - 1)
        parts[__cl_get_sub_group_id()] = a + x;
    __syncthreads();
    for (unsigned int k = 0; k < __cl_get_sub_group_id(); ++k)
        a += parts[k];
    __syncthreads();
    return a;
}
