// CUB's collectives of a warp and of a block. The results are those of the library; the ways there,
// and so the counts, are simpler ones through shared memory.
#pragma once
#define CUB_NS_QUALIFIER ::cub
#define CUB_NAMESPACE_BEGIN namespace cub {
#define CUB_NAMESPACE_END }

namespace cub {

struct NullType {};
struct Sum {
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const
    { return a + b; }
};
struct Difference {
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const
    { return a - b; }
};
struct Max {
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const
    { return a < b ? b : a; }
};
struct Min {
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const
    { return b < a ? b : a; }
};
struct Equality {
    template <typename T> __host__ __device__ bool operator()(const T &a, const T &b) const
    { return a == b; }
};

template <typename K, typename V> struct KeyValuePair {
    K key;
    V value;
};
struct ArgMax {
    template <typename K, typename V>
    __host__ __device__ KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a,
                                                      const KeyValuePair<K, V> &b) const
    {
        return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <typename K, typename V>
    __host__ __device__ KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a,
                                                      const KeyValuePair<K, V> &b) const
    {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

__device__ int __thread_in_block()
{ return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }

// Room for N values of any type, without their constructors.
template <typename T, int N> struct __align__(16) __Room {
    char bytes[sizeof(T) * N];
    __device__ T *values() { return (T *)bytes; }
};

// The lanes that take part in a warp's collective, and how they wait for each other.
template <int Lanes> struct __Warp {
    __device__ static int lane() { return __thread_in_block() % Lanes; }
    __device__ static unsigned mask()
    { return (0xffffffffu >> (32 - Lanes)) << (__thread_in_block() % 32 / Lanes * Lanes); }
    __device__ static void sync() { __syncwarp(mask()); }
};
template <int Threads> struct __Block {
    __device__ static int lane() { return __thread_in_block(); }
    __device__ static void sync() { __syncthreads(); }
};

// Reduction in order, so that the operation need not be commutative; the result is thread 0's.
template <typename Group, typename T, typename Op> __device__ T __reduce(T *room, T x, Op op, int n)
{
    const int t = Group::lane();
    room[t] = x;
    Group::sync();
    for (int d = 1; d < n; d *= 2) {
        if (t % (2 * d) == 0 && t + d < n)
            room[t] = op(room[t], room[t + d]);
        Group::sync();
    }
    return room[t];
}

// Inclusive scan; `room` then holds all results.
template <typename Group, typename T, typename Op> __device__ T __scan(T *room, T x, Op op, int n)
{
    const int t = Group::lane();
    room[t] = x;
    Group::sync();
    for (int d = 1; d < n; d *= 2) {
        T left = x;
        if (t >= d)
            left = room[t - d];
        Group::sync();
        if (t >= d)
            room[t] = x = op(left, x);
        Group::sync();
    }
    return x;
}

template <typename T, int Lanes = 32, int Arch = 0> class WarpReduce {
public:
    typedef __Room<T, Lanes> TempStorage;
    __device__ WarpReduce(TempStorage &t) : room(t) {}
    template <typename Op> __device__ T Reduce(T x, Op op)
    { return __reduce<__Warp<Lanes>>(room.values(), x, op, Lanes); }
    template <typename Op> __device__ T Reduce(T x, Op op, int valid)
    { return __reduce<__Warp<Lanes>>(room.values(), x, op, valid); }
    __device__ T Sum(T x) { return Reduce(x, cub::Sum()); }
    __device__ T Sum(T x, int valid) { return Reduce(x, cub::Sum(), valid); }

private:
    TempStorage &room;
};

template <typename T, int Lanes = 32, int Arch = 0> class WarpScan {
public:
    typedef __Room<T, Lanes> TempStorage;
    __device__ WarpScan(TempStorage &t) : room(t) {}
    template <typename Op> __device__ void InclusiveScan(T x, T &out, Op op) { out = scan(x, op); }
    template <typename Op> __device__ void InclusiveScan(T x, T &out, Op op, T &all)
    {
        out = scan(x, op);
        all = room.values()[Lanes - 1];
    }
    template <typename Op> __device__ void ExclusiveScan(T x, T &out, T first, Op op)
    {
        scan(x, op);
        const int t = __Warp<Lanes>::lane();
        out = t == 0 ? first : op(first, room.values()[t - 1]);
    }
    __device__ void InclusiveSum(T x, T &out) { InclusiveScan(x, out, cub::Sum()); }
    __device__ void InclusiveSum(T x, T &out, T &all) { InclusiveScan(x, out, cub::Sum(), all); }
    __device__ void ExclusiveSum(T x, T &out) { ExclusiveScan(x, out, T(0), cub::Sum()); }
    __device__ void ExclusiveSum(T x, T &out, T &all)
    {
        ExclusiveScan(x, out, T(0), cub::Sum());
        all = room.values()[Lanes - 1];
    }
    __device__ T Broadcast(T x, unsigned int from)
    {
        room.values()[__Warp<Lanes>::lane()] = x;
        __Warp<Lanes>::sync();
        return room.values()[from];
    }

private:
    TempStorage &room;
    template <typename Op> __device__ T scan(T x, Op op)
    { return __scan<__Warp<Lanes>>(room.values(), x, op, Lanes); }
};

template <typename T, int X, BlockReduceAlgorithm A = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1,
          int Z = 1, int Arch = 0>
class BlockReduce {
    static constexpr int threads = X * Y * Z;

public:
    typedef __Room<T, threads> TempStorage;
    __device__ BlockReduce(TempStorage &t) : room(t) {}
    __device__ BlockReduce() : room(own()) {}
    template <typename Op> __device__ T Reduce(T x, Op op)
    { return __reduce<__Block<threads>>(room.values(), x, op, threads); }
    template <typename Op> __device__ T Reduce(T x, Op op, int valid)
    { return __reduce<__Block<threads>>(room.values(), x, op, valid); }
    template <typename Op, int N> __device__ T Reduce(T (&items)[N], Op op)
    {
        T x = items[0];
        for (int i = 1; i < N; ++i)
            x = op(x, items[i]);
        return Reduce(x, op);
    }
    __device__ T Sum(T x) { return Reduce(x, cub::Sum()); }
    __device__ T Sum(T x, int valid) { return Reduce(x, cub::Sum(), valid); }
    template <int N> __device__ T Sum(T (&items)[N]) { return Reduce(items, cub::Sum()); }

private:
    TempStorage &room;
    // Of objects made without storage.
    __device__ static TempStorage &own()
    {
        __shared__ TempStorage room;
        return room;
    }
};

template <typename T, int X, BlockScanAlgorithm A = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1,
          int Arch = 0>
class BlockScan {
    static constexpr int threads = X * Y * Z;

public:
    typedef __Room<T, threads> TempStorage;
    __device__ BlockScan(TempStorage &t) : room(t) {}
    __device__ BlockScan() : room(own()) {}
    template <typename Op> __device__ void InclusiveScan(T x, T &out, Op op) { out = scan(x, op); }
    template <typename Op> __device__ void InclusiveScan(T x, T &out, Op op, T &all)
    {
        out = scan(x, op);
        all = room.values()[threads - 1];
    }
    template <typename Op> __device__ void ExclusiveScan(T x, T &out, T first, Op op)
    {
        scan(x, op);
        const int t = __thread_in_block();
        out = t == 0 ? first : op(first, room.values()[t - 1]);
    }
    template <typename Op> __device__ void ExclusiveScan(T x, T &out, T first, Op op, T &all)
    {
        ExclusiveScan(x, out, first, op);
        all = room.values()[threads - 1];
    }
    template <int N, typename Op> __device__ void InclusiveScan(T (&x)[N], T (&out)[N], Op op)
    {
        T sum = x[0];
        for (int i = 1; i < N; ++i)
            sum = op(sum, x[i]);
        scan(sum, op);
        const int t = __thread_in_block();
        T run = x[0];
        if (t > 0)
            run = op(room.values()[t - 1], run);
        out[0] = run;
        for (int i = 1; i < N; ++i)
            out[i] = run = op(run, x[i]);
    }
    template <int N, typename Op>
    __device__ void ExclusiveScan(T (&x)[N], T (&out)[N], T first, Op op)
    {
        T sum = x[0];
        for (int i = 1; i < N; ++i)
            sum = op(sum, x[i]);
        scan(sum, op);
        const int t = __thread_in_block();
        T run = t == 0 ? first : op(first, room.values()[t - 1]);
        for (int i = 0; i < N; ++i) {
            T own = x[i];
            out[i] = run;
            run = op(run, own);
        }
    }
    __device__ void InclusiveSum(T x, T &out) { InclusiveScan(x, out, cub::Sum()); }
    __device__ void InclusiveSum(T x, T &out, T &all) { InclusiveScan(x, out, cub::Sum(), all); }
    __device__ void ExclusiveSum(T x, T &out) { ExclusiveScan(x, out, T(0), cub::Sum()); }
    __device__ void ExclusiveSum(T x, T &out, T &all)
    { ExclusiveScan(x, out, T(0), cub::Sum(), all); }
    template <int N> __device__ void InclusiveSum(T (&x)[N], T (&out)[N])
    { InclusiveScan(x, out, cub::Sum()); }
    template <int N> __device__ void ExclusiveSum(T (&x)[N], T (&out)[N])
    { ExclusiveScan(x, out, T(0), cub::Sum()); }
    template <int N> __device__ void InclusiveSum(T (&x)[N], T (&out)[N], T &all)
    {
        InclusiveScan(x, out, cub::Sum());
        all = room.values()[threads - 1];
    }
    template <int N> __device__ void ExclusiveSum(T (&x)[N], T (&out)[N], T &all)
    {
        ExclusiveScan(x, out, T(0), cub::Sum());
        all = room.values()[threads - 1];
    }

private:
    TempStorage &room;
    // Of objects made without storage.
    __device__ static TempStorage &own()
    {
        __shared__ TempStorage room;
        return room;
    }
    template <typename Op> __device__ T scan(T x, Op op)
    { return __scan<__Block<threads>>(room.values(), x, op, threads); }
};

template <typename T, int X, int N, BlockLoadAlgorithm A = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1,
          int Arch = 0>
class BlockLoad {
    static constexpr int threads = X * Y * Z;
    static constexpr bool turns = A == BLOCK_LOAD_TRANSPOSE || A == BLOCK_LOAD_WARP_TRANSPOSE ||
                                  A == BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED;

public:
    typedef __Room<T, turns ? threads * N : 1> TempStorage;
    __device__ BlockLoad(TempStorage &t) : room(t) {}
    __device__ BlockLoad() : room(*(TempStorage *)nullptr) {}
    template <typename P> __device__ void Load(P from, T (&items)[N])
    { load(from, items, threads * N, items[0], false); }
    template <typename P> __device__ void Load(P from, T (&items)[N], int valid)
    { load(from, items, valid, items[0], false); }
    template <typename P, typename D> __device__ void Load(P from, T (&items)[N], int valid, D rest)
    { load(from, items, valid, T(rest), true); }

private:
    TempStorage &room;
    template <typename P>
    __device__ void load(P from, T (&items)[N], int valid, const T &rest, bool fill)
    {
        const int t = __thread_in_block();
        if constexpr (turns) {
            T *all = room.values();
            for (int i = 0; i < N; ++i) {
                int at = i * threads + t;
                if (at < valid)
                    all[at] = from[at];
                else if (fill)
                    all[at] = rest;
            }
            __syncthreads();
            for (int i = 0; i < N; ++i)
                if (t * N + i < valid || fill)
                    items[i] = all[t * N + i];
        } else {
            for (int i = 0; i < N; ++i) {
                int at = A == BLOCK_LOAD_STRIPED ? i * threads + t : t * N + i;
                if (at < valid)
                    items[i] = from[at];
                else if (fill)
                    items[i] = rest;
            }
        }
    }
};

template <typename T, int X, int N, BlockStoreAlgorithm A = BLOCK_STORE_DIRECT, int Y = 1,
          int Z = 1, int Arch = 0>
class BlockStore {
    static constexpr int threads = X * Y * Z;
    static constexpr bool turns = A == BLOCK_STORE_TRANSPOSE || A == BLOCK_STORE_WARP_TRANSPOSE ||
                                  A == BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED;

public:
    typedef __Room<T, turns ? threads * N : 1> TempStorage;
    __device__ BlockStore(TempStorage &t) : room(t) {}
    __device__ BlockStore() : room(*(TempStorage *)nullptr) {}
    template <typename P> __device__ void Store(P to, T (&items)[N])
    { Store(to, items, threads * N); }
    template <typename P> __device__ void Store(P to, T (&items)[N], int valid)
    {
        const int t = __thread_in_block();
        if constexpr (turns) {
            T *all = room.values();
            for (int i = 0; i < N; ++i)
                all[t * N + i] = items[i];
            __syncthreads();
            for (int i = 0; i < N; ++i)
                if (i * threads + t < valid)
                    to[i * threads + t] = all[i * threads + t];
        } else {
            for (int i = 0; i < N; ++i) {
                int at = A == BLOCK_STORE_STRIPED ? i * threads + t : t * N + i;
                if (at < valid)
                    to[at] = items[i];
            }
        }
    }

private:
    TempStorage &room;
};

// Whole numbers in the order of the keys.
__device__ unsigned int __ordered(unsigned int k) { return k; }
__device__ unsigned int __ordered(int k) { return (unsigned int)k ^ 0x80000000u; }
__device__ unsigned int __ordered(float k)
{
    unsigned int b = __float_as_uint(k);
    return b & 0x80000000u ? ~b : b | 0x80000000u;
}
__device__ unsigned int __ordered(unsigned short k) { return k; }
__device__ unsigned int __ordered(unsigned char k) { return k; }
__device__ unsigned long long __ordered(unsigned long long k) { return k; }
__device__ unsigned long long __ordered(long long k)
{ return (unsigned long long)k ^ 0x8000000000000000ULL; }
__device__ unsigned long long __ordered(double k)
{
    unsigned long long b = __double_as_longlong(k);
    return b & 0x8000000000000000ULL ? ~b : b | 0x8000000000000000ULL;
}

template <typename K, int X, int N, typename V = NullType, int Bits = 4> class BlockRadixSort {
    static constexpr int total = X * N;
    struct Rooms {
        __Room<K, total> keys;
        __Room<V, total> values;
        int counts[X];
    };

public:
    typedef Rooms TempStorage;
    __device__ BlockRadixSort(TempStorage &t) : room(t) {}
    __device__ void Sort(K (&keys)[N], int begin = 0, int end = sizeof(K) * 8)
    {
        V none[N];
        sort(keys, none, begin, end, false, false);
    }
    __device__ void SortDescending(K (&keys)[N], int begin = 0, int end = sizeof(K) * 8)
    {
        V none[N];
        sort(keys, none, begin, end, true, false);
    }
    __device__ void Sort(K (&keys)[N], V (&values)[N], int begin = 0, int end = sizeof(K) * 8)
    { sort(keys, values, begin, end, false, true); }
    __device__ void SortDescending(K (&keys)[N], V (&values)[N], int begin = 0,
                                   int end = sizeof(K) * 8)
    { sort(keys, values, begin, end, true, true); }

private:
    TempStorage &room;
    // By one bit after the other: zeros to the front, each side in its order.
    __device__ void sort(K (&keys)[N], V (&values)[N], int begin, int end, bool down, bool pairs)
    {
        const int t = __thread_in_block();
        for (int bit = begin; bit < end; ++bit) {
            int zeros = 0;
            for (int i = 0; i < N; ++i)
                zeros += (__ordered(keys[i]) >> bit & 1) == down;
            int before = __scan<__Block<X>>(room.counts, zeros, Sum(), X);
            const int all = room.counts[X - 1];
            before -= zeros;
            for (int i = 0; i < N; ++i) {
                bool first = (__ordered(keys[i]) >> bit & 1) == down;
                int at = first ? before : all + t * N + i - before;
                before += first;
                room.keys.values()[at] = keys[i];
                if (pairs)
                    room.values.values()[at] = values[i];
            }
            __syncthreads();
            for (int i = 0; i < N; ++i) {
                keys[i] = room.keys.values()[t * N + i];
                if (pairs)
                    values[i] = room.values.values()[t * N + i];
            }
            __syncthreads();
        }
    }
};

template <int X, typename T, typename P, int N>
__device__ void LoadDirectStriped(int t, P from, T (&items)[N])
{
    for (int i = 0; i < N; ++i)
        items[i] = from[i * X + t];
}
template <int X, typename T, typename P, int N>
__device__ void StoreDirectStriped(int t, P to, T (&items)[N])
{
    for (int i = 0; i < N; ++i)
        to[i * X + t] = items[i];
}
template <typename T, typename P, int N>
__device__ void LoadDirectBlocked(int t, P from, T (&items)[N])
{
    for (int i = 0; i < N; ++i)
        items[i] = from[t * N + i];
}
template <typename T, typename P, int N>
__device__ void StoreDirectBlocked(int t, P to, T (&items)[N])
{
    for (int i = 0; i < N; ++i)
        to[t * N + i] = items[i];
}

}
