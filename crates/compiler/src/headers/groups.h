// Functions of OpenCL 2.x over a sub-group and over a work-group. All work-items of the group call
// them. A sub-group is a warp of 32, or as much of it as the kernels' `reqd_sub_group_size` asks
// for: `__cl_width`.
#pragma once

__device__ unsigned int __cl_get_sub_group_local_id() { return __cl_local_number() % __cl_width; }
__device__ unsigned int __cl_get_sub_group_id() { return __cl_local_number() / __cl_width; }
__device__ unsigned int __cl_get_max_sub_group_size() { return __cl_width; }
__device__ unsigned int __cl_get_num_sub_groups()
{ return (__cl_local_count() + __cl_width - 1u) / __cl_width; }
__device__ unsigned int __cl_get_enqueued_num_sub_groups() { return __cl_get_num_sub_groups(); }
__device__ unsigned int __cl_get_sub_group_size()
{ return min(__cl_width, __cl_local_count() - __cl_width * __cl_get_sub_group_id()); }
// The first lane of the warp that belongs to the sub-group, and the lanes that do.
__device__ unsigned int __cl_first_lane()
{ return __cl_width == 32u ? 0u : __cl_local_number() % 32u / __cl_width * __cl_width; }
__device__ unsigned int __cl_sub_group_mask()
{ return 0xffffffffu >> (32u - __cl_get_sub_group_size()) << __cl_first_lane(); }
template <typename T> __device__ T __cl_of_lane(T x, unsigned int lane)
{ return __shfl_sync(__cl_sub_group_mask(), x, __cl_first_lane() + lane); }
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
template <typename T> __device__ T __cl_sub_group_broadcast(T x, unsigned int from)
{ return __cl_of_lane(x, from); }
template <typename T> __device__ T __cl_sub_group_shuffle(T x, unsigned int from)
{ return __cl_of_lane(x, from % __cl_width); }
template <typename T> __device__ T __cl_sub_group_shuffle_xor(T x, unsigned int bits)
{ return __shfl_xor_sync(__cl_sub_group_mask(), x, bits); }
template <typename T> __device__ T __cl_sub_group_shuffle_up(T x, unsigned int by)
{
    const unsigned int lane = __cl_get_sub_group_local_id();
    return __cl_of_lane(x, lane < by ? lane : lane - by);
}
template <typename T> __device__ T __cl_sub_group_shuffle_down(T x, unsigned int by)
{
    const unsigned int lane = __cl_get_sub_group_local_id(), size = __cl_get_sub_group_size();
    return __cl_of_lane(x, by < size - lane ? lane + by : lane);
}
template <typename T> __device__ T __cl_sub_group_rotate(T x, int by)
{ return __cl_of_lane(x, (__cl_get_sub_group_local_id() + by) % __cl_width); }
template <typename T>
__device__ T __cl_sub_group_clustered_rotate(T x, int by, unsigned int size)
{
    const unsigned int lane = __cl_get_sub_group_local_id();
    return __cl_of_lane(x, lane / size * size + (lane + by) % size);
}

// The largest and the smallest number of a type.
template <typename T> __device__ T __cl_most()
{
    if constexpr ((T)0.5 != (T)0)
        return (T)__int_as_float(0x7f800000);
    else if constexpr ((T)-1 < (T)0)
        return (T) ~((T)1 << (8 * sizeof(T) - 1));
    else
        return (T)-1;
}
template <typename T> __device__ T __cl_least()
{
    if constexpr ((T)0.5 != (T)0)
        return -__cl_most<T>();
    else
        return (T)~__cl_most<T>();
}

#define __CL_GROUP(op, joined, none) \
    template <typename T> __device__ T __cl_sub_group_reduce_##op(T a) \
    { \
        const unsigned int lane = __cl_get_sub_group_local_id(), size = __cl_get_sub_group_size(); \
        for (unsigned int step = __cl_width / 2; step > 0; step >>= 1) { \
            T b = __cl_of_lane(a, min(lane + step, size - 1u)); \
            a = lane + step < size ? (T)(joined) : a; \
        } \
        return __cl_of_lane(a, 0); \
    } \
    template <typename T> __device__ T __cl_sub_group_scan_inclusive_##op(T a) \
    { \
        const unsigned int lane = __cl_get_sub_group_local_id(); \
        for (unsigned int step = 1; step < __cl_width; step <<= 1) { \
            T b = __cl_of_lane(a, lane < step ? lane : lane - step); \
            a = lane < step ? a : (T)(joined); \
        } \
        return a; \
    } \
    template <typename T> __device__ T __cl_work_group_reduce_##op(T x) \
    { \
        __shared__ T parts[1024 / __cl_width]; \
        T a = __cl_sub_group_reduce_##op(x); \
        if (__cl_get_sub_group_local_id() == 0) parts[__cl_get_sub_group_id()] = a; \
        __syncthreads(); \
        a = parts[0]; \
        for (unsigned int k = 1; k < __cl_get_num_sub_groups(); ++k) { \
            T b = parts[k]; \
            a = (T)(joined); \
        } \
        __syncthreads(); \
        return a; \
    } \
    template <typename T> __device__ T __cl_work_group_scan_inclusive_##op(T x) \
    { \
        __shared__ T parts[1024 / __cl_width]; \
        T a = __cl_sub_group_scan_inclusive_##op(x); \
        if (__cl_get_sub_group_local_id() == __cl_get_sub_group_size() - 1) \
            parts[__cl_get_sub_group_id()] = a; \
        __syncthreads(); \
        for (unsigned int k = 0; k < __cl_get_sub_group_id(); ++k) { \
            T b = parts[k]; \
            a = (T)(joined); \
        } \
        __syncthreads(); \
        return a; \
    } \
    template <typename T> __device__ T __cl_sub_group_scan_exclusive_##op(T x) \
    { \
        const unsigned int lane = __cl_get_sub_group_local_id(); \
        T below = __cl_of_lane(__cl_sub_group_scan_inclusive_##op(x), lane == 0 ? 0 : lane - 1); \
        return lane == 0 ? (T)(none) : below; \
    } \
    template <typename T> __device__ T __cl_work_group_scan_exclusive_##op(T b) \
    { \
        __shared__ T parts[1024 / __cl_width]; \
        T a = __cl_sub_group_scan_exclusive_##op(b); \
        if (__cl_get_sub_group_local_id() == __cl_get_sub_group_size() - 1) \
            parts[__cl_get_sub_group_id()] = (T)(joined); \
        __syncthreads(); \
        for (unsigned int k = 0; k < __cl_get_sub_group_id(); ++k) { \
            b = parts[k]; \
            a = (T)(joined); \
        } \
        __syncthreads(); \
        return a; \
    }
__CL_GROUP(add, a + b, 0)
__CL_GROUP(min, min(a, b), __cl_most<T>())
__CL_GROUP(max, max(a, b), __cl_least<T>())
#undef __CL_GROUP

// ---- those of a sub-group that are at the call together
__device__ unsigned int __cl_here() { return __activemask() & __cl_sub_group_mask(); }
__device__ uint4 __cl_bits(unsigned int x)
{
    uint4 v;
    v.x = x & 0xffffffffu >> (32u - __cl_get_sub_group_size());
    v.y = v.z = v.w = 0;
    return v;
}
__device__ unsigned int __cl_own_bit() { return 1u << __cl_get_sub_group_local_id(); }
__device__ uint4 __cl_get_sub_group_eq_mask() { return __cl_bits(__cl_own_bit()); }
__device__ uint4 __cl_get_sub_group_lt_mask() { return __cl_bits(__cl_own_bit() - 1u); }
__device__ uint4 __cl_get_sub_group_le_mask() { return __cl_bits(2u * __cl_own_bit() - 1u); }
__device__ uint4 __cl_get_sub_group_gt_mask() { return __cl_bits(-2u * __cl_own_bit()); }
__device__ uint4 __cl_get_sub_group_ge_mask() { return __cl_bits(-__cl_own_bit()); }
__device__ uint4 __cl_sub_group_ballot(int p)
{ return __cl_bits(__ballot_sync(__cl_here(), p) >> __cl_first_lane()); }
__device__ int __cl_sub_group_inverse_ballot(uint4 v) { return (v.x & __cl_own_bit()) != 0; }
__device__ int __cl_sub_group_ballot_bit_extract(uint4 v, unsigned int i) { return v.x >> i & 1; }
__device__ unsigned int __cl_sub_group_ballot_bit_count(uint4 v) { return __popc(v.x); }
__device__ unsigned int __cl_sub_group_ballot_inclusive_scan(uint4 v)
{ return __popc(v.x & (2u * __cl_own_bit() - 1u)); }
__device__ unsigned int __cl_sub_group_ballot_exclusive_scan(uint4 v)
{ return __popc(v.x & (__cl_own_bit() - 1u)); }
__device__ unsigned int __cl_sub_group_ballot_find_lsb(uint4 v) { return __ffs(v.x) - 1; }
__device__ unsigned int __cl_sub_group_ballot_find_msb(uint4 v) { return 31 - __clz(v.x); }
__device__ int __cl_sub_group_elect()
{ return __ffs(__cl_here() >> __cl_first_lane()) - 1 == __cl_get_sub_group_local_id(); }
template <typename T> __device__ T __cl_sub_group_broadcast_first(T x)
{ return __shfl_sync(__cl_here(), x, __ffs(__cl_here()) - 1); }
template <typename T> __device__ T __cl_sub_group_non_uniform_broadcast(T x, unsigned int from)
{ return __shfl_sync(__cl_here(), x, __cl_first_lane() + from); }
__device__ int __cl_sub_group_non_uniform_all(int p) { return __all_sync(__cl_here(), p); }
__device__ int __cl_sub_group_non_uniform_any(int p) { return __any_sync(__cl_here(), p); }
template <typename T> __device__ int __cl_sub_group_non_uniform_all_equal(T x)
{ return __all_sync(__cl_here(), x == __cl_sub_group_broadcast_first(x)); }

// Over lanes from `first` to before `end`.
#define __CL_FEW(op, joined, none) \
    template <typename T> __device__ T __cl_few_##op(T x, unsigned int first, unsigned int end) \
    { \
        const unsigned int here = __cl_here(); \
        T a = (T)(none); \
        for (unsigned int left = here; left != 0; left &= left - 1) { \
            const unsigned int lane = __ffs(left) - 1; \
            T b = __shfl_sync(here, x, lane); \
            a = lane >= first && lane < end ? (T)(joined) : a; \
        } \
        return a; \
    } \
    template <typename T> __device__ T __cl_sub_group_non_uniform_reduce_##op(T x) \
    { return __cl_few_##op(x, 0, 32); } \
    template <typename T> __device__ T __cl_sub_group_non_uniform_scan_inclusive_##op(T x) \
    { return __cl_few_##op(x, 0, __cl_local_number() % 32 + 1); } \
    template <typename T> __device__ T __cl_sub_group_non_uniform_scan_exclusive_##op(T x) \
    { return __cl_few_##op(x, 0, __cl_local_number() % 32); } \
    template <typename T> \
    __device__ T __cl_sub_group_clustered_reduce_##op(T x, unsigned int size) \
    { \
        const unsigned int first = __cl_local_number() % 32 / size * size; \
        return __cl_few_##op(x, first, first + size); \
    }
__CL_FEW(add, a + b, 0)
__CL_FEW(mul, a * b, 1)
__CL_FEW(min, min(a, b), __cl_most<T>())
__CL_FEW(max, max(a, b), __cl_least<T>())
__CL_FEW(and, a & b, ~(T)0)
__CL_FEW(or, a | b, 0)
__CL_FEW(xor, a ^ b, 0)
#undef __CL_FEW

// ---- sub-groups by their first vendor's names
template <typename T> __device__ T __cl_intel_sub_group_shuffle(T x, unsigned int from)
{ return __cl_sub_group_shuffle(x, from); }
template <typename T> __device__ T __cl_intel_sub_group_shuffle_xor(T x, unsigned int bits)
{ return __cl_sub_group_shuffle_xor(x, bits); }
template <typename T> __device__ T __cl_intel_sub_group_shuffle_down(T x, T next, unsigned int by)
{
    const unsigned int from = __cl_get_sub_group_local_id() + by;
    T here = __cl_sub_group_shuffle(x, from), there = __cl_sub_group_shuffle(next, from);
    return from < __cl_width ? here : there;
}
template <typename T> __device__ T __cl_intel_sub_group_shuffle_up(T before, T x, unsigned int by)
{
    const unsigned int from = __cl_get_sub_group_local_id() + __cl_width - by;
    T here = __cl_sub_group_shuffle(x, from), there = __cl_sub_group_shuffle(before, from);
    return from >= __cl_width ? here : there;
}

#define __CL_BLOCKS(type, suffix) \
    __device__ type __cl_intel_sub_group_block_read##suffix(const type *p) \
    { return p[__cl_get_sub_group_local_id()]; } \
    __device__ type##2 __cl_intel_sub_group_block_read##suffix##2(const type *p) \
    { \
        type##2 v; \
        v.x = __cl_block(p, 0); \
        v.y = __cl_block(p, 1); \
        return v; \
    } \
    __device__ type##4 __cl_intel_sub_group_block_read##suffix##4(const type *p) \
    { \
        type##4 v; \
        v.x = __cl_block(p, 0); \
        v.y = __cl_block(p, 1); \
        v.z = __cl_block(p, 2); \
        v.w = __cl_block(p, 3); \
        return v; \
    } \
    __device__ void __cl_intel_sub_group_block_write##suffix(type *p, type v) \
    { p[__cl_get_sub_group_local_id()] = v; } \
    __device__ void __cl_intel_sub_group_block_write##suffix##2(type * p, type##2 v) \
    { \
        __cl_block(p, 0) = v.x; \
        __cl_block(p, 1) = v.y; \
    } \
    __device__ void __cl_intel_sub_group_block_write##suffix##4(type * p, type##4 v) \
    { \
        __cl_block(p, 0) = v.x; \
        __cl_block(p, 1) = v.y; \
        __cl_block(p, 2) = v.z; \
        __cl_block(p, 3) = v.w; \
    }
#define __cl_block(p, row) (p)[(row) * __cl_width + __cl_get_sub_group_local_id()]
__CL_BLOCKS(uint, )
__CL_BLOCKS(ushort, _us)
#undef __CL_BLOCKS
#undef __cl_block

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
template <typename T>
__device__ T __cl_work_group_broadcast(T x, unsigned long long i, unsigned long long j)
{ return __cl_work_group_broadcast(x, i + blockDim.x * j); }
template <typename T>
__device__ T __cl_work_group_broadcast(T x, unsigned long long i, unsigned long long j,
                                       unsigned long long k)
{ return __cl_work_group_broadcast(x, i, j + blockDim.y * k); }
