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
struct Inequality {
    template <typename T> __host__ __device__ bool operator()(const T &a, const T &b) const
    { return a != b; }
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
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
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
    // The first warp calls `before` with the sum of the block, for what comes before it.
    template <typename Before> __device__ void ExclusiveSum(T x, T &out, Before &before)
    {
        const T first = running(x, before);
        const int t = __thread_in_block();
        out = t == 0 ? first : first + room.values()[t - 1];
    }
    template <typename Before> __device__ void InclusiveSum(T x, T &out, Before &before)
    {
        const T first = running(x, before);
        out = first + room.values()[__thread_in_block()];
    }
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
    template <typename Before> __device__ T running(T x, Before &before)
    {
        __shared__ TempStorage first;
        scan(x, cub::Sum());
        const int t = __thread_in_block();
        if (t < 32) {
            T sum = before(room.values()[threads - 1]);
            if (t == 0)
                first.values()[0] = sum;
        }
        __syncthreads();
        return first.values()[0];
    }
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
__device__ unsigned int __ordered(short k) { return (unsigned short)k ^ 0x8000u; }
__device__ unsigned int __ordered(signed char k) { return (unsigned char)k ^ 0x80u; }
__device__ unsigned int __ordered(char k) { return (unsigned char)k ^ 0x80u; }
__device__ unsigned long long __ordered(unsigned long k) { return k; }
__device__ unsigned long long __ordered(long k)
{ return (unsigned long long)k ^ 0x8000000000000000ULL; }
__device__ unsigned long long __ordered(unsigned long long k) { return k; }
__device__ unsigned long long __ordered(long long k)
{ return (unsigned long long)k ^ 0x8000000000000000ULL; }
__device__ unsigned long long __ordered(double k)
{
    unsigned long long b = __double_as_longlong(k);
    return b & 0x8000000000000000ULL ? ~b : b | 0x8000000000000000ULL;
}

// Where item `i` of a thread lies among those of its group.
template <int Threads, int N> struct __Blocked {
    __device__ int operator()(int t, int i) const { return t * N + i; }
};
template <int Threads, int N> struct __Striped {
    __device__ int operator()(int t, int i) const { return i * Threads + t; }
};
template <int N> struct __WarpStriped {
    __device__ int operator()(int t, int i) const { return t / 32 * 32 * N + i * 32 + t % 32; }
};

// Each item moves to the thread that has its place in another order.
template <typename Group, typename T, typename U, int N, typename From, typename To>
__device__ void __exchange(T *all, const T (&in)[N], U (&out)[N], From from, To to)
{
    const int t = Group::lane();
    for (int i = 0; i < N; ++i)
        all[from(t, i)] = in[i];
    Group::sync();
    for (int i = 0; i < N; ++i)
        out[i] = all[to(t, i)];
    Group::sync();
}

// By the places that the items themselves have; without one they are not moved.
template <typename Group, typename T, typename U, int N, typename R, typename To, typename F>
__device__ void __scatter(T *all, const T (&in)[N], U (&out)[N], R (&ranks)[N], To to, F moved)
{
    const int t = Group::lane();
    for (int i = 0; i < N; ++i)
        if (moved(i))
            all[ranks[i]] = in[i];
    Group::sync();
    for (int i = 0; i < N; ++i)
        out[i] = all[to(t, i)];
    Group::sync();
}

template <typename T, int X, int N, bool Slices = false, int Y = 1, int Z = 1> class BlockExchange {
    static constexpr int threads = X * Y * Z;
    typedef __Block<threads> Group;
    typedef __Blocked<threads, N> Blocked;
    typedef __Striped<threads, N> Striped;
    typedef __WarpStriped<N> WarpStriped;

public:
    typedef __Room<T, threads * N> TempStorage;
    __device__ BlockExchange(TempStorage &t) : room(t) {}
    template <typename U> __device__ void StripedToBlocked(const T (&in)[N], U (&out)[N])
    { __exchange<Group>(room.values(), in, out, Striped(), Blocked()); }
    template <typename U> __device__ void BlockedToStriped(const T (&in)[N], U (&out)[N])
    { __exchange<Group>(room.values(), in, out, Blocked(), Striped()); }
    template <typename U> __device__ void WarpStripedToBlocked(const T (&in)[N], U (&out)[N])
    { __exchange<Group>(room.values(), in, out, WarpStriped(), Blocked()); }
    template <typename U> __device__ void BlockedToWarpStriped(const T (&in)[N], U (&out)[N])
    { __exchange<Group>(room.values(), in, out, Blocked(), WarpStriped()); }
    __device__ void StripedToBlocked(T (&items)[N]) { StripedToBlocked(items, items); }
    __device__ void BlockedToStriped(T (&items)[N]) { BlockedToStriped(items, items); }
    __device__ void WarpStripedToBlocked(T (&items)[N]) { WarpStripedToBlocked(items, items); }
    __device__ void BlockedToWarpStriped(T (&items)[N]) { BlockedToWarpStriped(items, items); }
    template <typename U, typename R>
    __device__ void ScatterToBlocked(const T (&in)[N], U (&out)[N], R (&ranks)[N])
    { __scatter<Group>(room.values(), in, out, ranks, Blocked(), [](int) { return true; }); }
    template <typename U, typename R>
    __device__ void ScatterToStriped(const T (&in)[N], U (&out)[N], R (&ranks)[N])
    { __scatter<Group>(room.values(), in, out, ranks, Striped(), [](int) { return true; }); }
    template <typename R> __device__ void ScatterToBlocked(T (&items)[N], R (&ranks)[N])
    { ScatterToBlocked(items, items, ranks); }
    template <typename R> __device__ void ScatterToStriped(T (&items)[N], R (&ranks)[N])
    { ScatterToStriped(items, items, ranks); }
    template <typename U, typename R>
    __device__ void ScatterToStripedGuarded(const T (&in)[N], U (&out)[N], R (&ranks)[N])
    {
        auto moved = [&](int i) { return ranks[i] >= 0; };
        __scatter<Group>(room.values(), in, out, ranks, Striped(), moved);
    }
    template <typename U, typename R, typename F>
    __device__ void ScatterToStripedFlagged(const T (&in)[N], U (&out)[N], R (&ranks)[N],
                                            F (&valid)[N])
    {
        auto moved = [&](int i) { return bool(valid[i]); };
        __scatter<Group>(room.values(), in, out, ranks, Striped(), moved);
    }

private:
    TempStorage &room;
};

template <typename T, int N, int Lanes = 32> class WarpExchange {
    typedef __Warp<Lanes> Group;

public:
    typedef __Room<T, Lanes * N> TempStorage;
    __device__ WarpExchange(TempStorage &t) : room(t) {}
    template <typename U> __device__ void StripedToBlocked(const T (&in)[N], U (&out)[N])
    { __exchange<Group>(room.values(), in, out, __Striped<Lanes, N>(), __Blocked<Lanes, N>()); }
    template <typename U> __device__ void BlockedToStriped(const T (&in)[N], U (&out)[N])
    { __exchange<Group>(room.values(), in, out, __Blocked<Lanes, N>(), __Striped<Lanes, N>()); }
    template <typename U, typename R>
    __device__ void ScatterToStriped(const T (&in)[N], U (&out)[N], R (&ranks)[N])
    {
        auto all = [](int) { return true; };
        __scatter<Group>(room.values(), in, out, ranks, __Striped<Lanes, N>(), all);
    }
    template <typename R> __device__ void ScatterToStriped(T (&items)[N], R (&ranks)[N])
    { ScatterToStriped(items, items, ranks); }

private:
    TempStorage &room;
};

// Flags between neighbouring items, which may lie in two threads.
template <typename T, int X, int Y = 1, int Z = 1> class BlockDiscontinuity {
    static constexpr int threads = X * Y * Z;
    struct Rooms {
        __Room<T, threads> first, last;
    };

public:
    typedef Rooms TempStorage;
    __device__ BlockDiscontinuity(TempStorage &t) : room(t) {}
    template <int N, typename F, typename Op>
    __device__ void FlagHeads(F (&heads)[N], const T (&x)[N], Op op)
    { flag(&heads, (F(*)[N]) nullptr, x, op, nullptr, nullptr); }
    template <int N, typename F, typename Op>
    __device__ void FlagHeads(F (&heads)[N], const T (&x)[N], Op op, T before)
    { flag(&heads, (F(*)[N]) nullptr, x, op, &before, nullptr); }
    template <int N, typename F, typename Op>
    __device__ void FlagTails(F (&tails)[N], const T (&x)[N], Op op)
    { flag((F(*)[N]) nullptr, &tails, x, op, nullptr, nullptr); }
    template <int N, typename F, typename Op>
    __device__ void FlagTails(F (&tails)[N], const T (&x)[N], Op op, T after)
    { flag((F(*)[N]) nullptr, &tails, x, op, nullptr, &after); }
    template <int N, typename F, typename Op>
    __device__ void FlagHeadsAndTails(F (&heads)[N], F (&tails)[N], const T (&x)[N], Op op)
    { flag(&heads, &tails, x, op, nullptr, nullptr); }
    template <int N, typename F, typename Op>
    __device__ void FlagHeadsAndTails(F (&heads)[N], F (&tails)[N], T after, const T (&x)[N], Op op)
    { flag(&heads, &tails, x, op, nullptr, &after); }
    template <int N, typename F, typename Op>
    __device__ void FlagHeadsAndTails(F (&heads)[N], T before, F (&tails)[N], const T (&x)[N],
                                      Op op)
    { flag(&heads, &tails, x, op, &before, nullptr); }
    template <int N, typename F, typename Op>
    __device__ void FlagHeadsAndTails(F (&heads)[N], T before, F (&tails)[N], T after,
                                      const T (&x)[N], Op op)
    { flag(&heads, &tails, x, op, &before, &after); }

private:
    TempStorage &room;
    template <int N, typename F, typename Op>
    __device__ void flag(F (*heads)[N], F (*tails)[N], const T (&x)[N], Op op, const T *before,
                         const T *after)
    {
        const int t = __thread_in_block();
        room.first.values()[t] = x[0];
        room.last.values()[t] = x[N - 1];
        __syncthreads();
        for (int i = 0; i < N; ++i) {
            if (heads) {
                if (i > 0)
                    (*heads)[i] = op(x[i - 1], x[i]);
                else if (t > 0)
                    (*heads)[i] = op(room.last.values()[t - 1], x[i]);
                else
                    (*heads)[i] = before ? op(*before, x[i]) : 1;
            }
            if (tails) {
                if (i + 1 < N)
                    (*tails)[i] = op(x[i], x[i + 1]);
                else if (t + 1 < threads)
                    (*tails)[i] = op(x[i], room.first.values()[t + 1]);
                else
                    (*tails)[i] = after ? op(x[i], *after) : 1;
            }
        }
    }
};

template <typename T, int X, int Y = 1, int Z = 1> class BlockAdjacentDifference {
    static constexpr int threads = X * Y * Z;

public:
    typedef __Room<T, threads> TempStorage;
    __device__ BlockAdjacentDifference(TempStorage &t) : room(t) {}
    // `op` of each item and the one before it; the first is copied.
    template <int N, typename U, typename Op>
    __device__ void SubtractLeft(const T (&in)[N], U (&out)[N], Op op)
    {
        const int t = __thread_in_block();
        room.values()[t] = in[N - 1];
        __syncthreads();
        for (int i = N - 1; i > 0; --i)
            out[i] = op(in[i], in[i - 1]);
        out[0] = t == 0 ? U(in[0]) : U(op(in[0], room.values()[t - 1]));
    }
    template <int N, typename U, typename Op>
    __device__ void SubtractRight(const T (&in)[N], U (&out)[N], Op op)
    {
        const int t = __thread_in_block();
        room.values()[t] = in[0];
        __syncthreads();
        for (int i = 0; i + 1 < N; ++i)
            out[i] = op(in[i], in[i + 1]);
        out[N - 1] =
            t + 1 == threads ? U(in[N - 1]) : U(op(in[N - 1], room.values()[t + 1]));
    }

private:
    TempStorage &room;
};

template <typename T, int X, int N, int Bins, BlockHistogramAlgorithm A = BLOCK_HISTO_SORT,
          int Y = 1, int Z = 1>
class BlockHistogram {
public:
    typedef __Room<T, 1> TempStorage;
    __device__ BlockHistogram(TempStorage &) {}
    template <typename C> __device__ void InitHistogram(C *counts)
    {
        for (int b = __thread_in_block(); b < Bins; b += X * Y * Z)
            counts[b] = 0;
    }
    template <typename C> __device__ void Composite(T (&items)[N], C *counts)
    {
        for (int i = 0; i < N; ++i)
            atomicAdd(counts + items[i], 1);
    }
    template <typename C> __device__ void Histogram(T (&items)[N], C *counts)
    {
        InitHistogram(counts);
        __syncthreads();
        Composite(items, counts);
    }
};

// Runs of sorted items become longer by merging two: an item's place in both is its place in its
// own and the number of items before it in the other, equal ones of the left run first.
template <typename Group, int Threads, typename K, typename V, int N, typename Less>
__device__ void __merge_sort(K *all, V *with, K (&keys)[N], V (&values)[N], Less less)
{
    const int total = Threads * N, first = Group::lane() * N;
    for (int i = 1; i < N; ++i) {
        const K key = keys[i];
        const V value = values[i];
        int at = i;
        for (; at > 0 && less(key, keys[at - 1]); --at) {
            keys[at] = keys[at - 1];
            values[at] = values[at - 1];
        }
        keys[at] = key;
        values[at] = value;
    }
    for (int run = N; run < total; run *= 2) {
        for (int i = 0; i < N; ++i)
            all[first + i] = keys[i];
        Group::sync();
        const int mine = first / run * run;
        const bool left = mine / run % 2 == 0;
        const int other = left ? mine + run : mine - run;
        int places[N];
        for (int i = 0; i < N; ++i) {
            int low = min(other, total), high = min(other + run, total);
            while (low < high) {
                const int middle = (low + high) / 2;
                if (left ? less(all[middle], keys[i]) : !less(keys[i], all[middle]))
                    low = middle + 1;
                else
                    high = middle;
            }
            const int before = low - min(other, total);
            places[i] = (left ? first : first - run) + i + before;
        }
        Group::sync();
        for (int i = 0; i < N; ++i) {
            all[places[i]] = keys[i];
            with[places[i]] = values[i];
        }
        Group::sync();
        for (int i = 0; i < N; ++i) {
            keys[i] = all[first + i];
            values[i] = with[first + i];
        }
        Group::sync();
    }
}

template <typename Group, int Threads, typename K, int N, typename V> class __MergeSort {
    struct Rooms {
        __Room<K, Threads * N> keys;
        __Room<V, Threads * N> values;
    };

public:
    typedef Rooms TempStorage;
    __device__ __MergeSort(TempStorage &t) : room(t) {}
    template <typename Less> __device__ void Sort(K (&keys)[N], Less less)
    {
        NullType none[N];
        __merge_sort<Group, Threads>(room.keys.values(), (NullType *)room.values.values(), keys,
                                     none, less);
    }
    template <typename Less> __device__ void Sort(K (&keys)[N], V (&values)[N], Less less)
    {
        __merge_sort<Group, Threads>(room.keys.values(), room.values.values(), keys, values, less);
    }
    // Of the first `valid` items; `last` stands for the others.
    template <typename Less> __device__ void Sort(K (&keys)[N], Less less, int valid, K last)
    {
        fill(keys, valid, last);
        Sort(keys, less);
    }
    template <typename Less>
    __device__ void Sort(K (&keys)[N], V (&values)[N], Less less, int valid, K last)
    {
        fill(keys, valid, last);
        Sort(keys, values, less);
    }
    template <typename Less> __device__ void StableSort(K (&keys)[N], Less less)
    { Sort(keys, less); }
    template <typename Less> __device__ void StableSort(K (&keys)[N], V (&values)[N], Less less)
    { Sort(keys, values, less); }

private:
    TempStorage &room;
    __device__ void fill(K (&keys)[N], int valid, K last)
    {
        for (int i = 0; i < N; ++i)
            if (Group::lane() * N + i >= valid)
                keys[i] = last;
    }
};

template <typename K, int X, int N, typename V = NullType, int Y = 1, int Z = 1>
class BlockMergeSort : public __MergeSort<__Block<X * Y * Z>, X * Y * Z, K, N, V> {
    typedef __MergeSort<__Block<X * Y * Z>, X * Y * Z, K, N, V> Base;

public:
    typedef typename Base::TempStorage TempStorage;
    __device__ BlockMergeSort(TempStorage &t) : Base(t) {}
};

template <typename K, int N, int Lanes = 32, typename V = NullType>
class WarpMergeSort : public __MergeSort<__Warp<Lanes>, Lanes, K, N, V> {
    typedef __MergeSort<__Warp<Lanes>, Lanes, K, N, V> Base;

public:
    typedef typename Base::TempStorage TempStorage;
    __device__ WarpMergeSort(TempStorage &t) : Base(t) {}
};

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
    __device__ void SortBlockedToStriped(K (&keys)[N], int begin = 0, int end = sizeof(K) * 8)
    {
        Sort(keys, begin, end);
        stripe(room.keys.values(), keys);
    }
    __device__ void SortDescendingBlockedToStriped(K (&keys)[N], int begin = 0,
                                                   int end = sizeof(K) * 8)
    {
        SortDescending(keys, begin, end);
        stripe(room.keys.values(), keys);
    }
    __device__ void SortBlockedToStriped(K (&keys)[N], V (&values)[N], int begin = 0,
                                         int end = sizeof(K) * 8)
    {
        Sort(keys, values, begin, end);
        stripe(room.keys.values(), keys);
        stripe(room.values.values(), values);
    }
    __device__ void SortDescendingBlockedToStriped(K (&keys)[N], V (&values)[N], int begin = 0,
                                                   int end = sizeof(K) * 8)
    {
        SortDescending(keys, values, begin, end);
        stripe(room.keys.values(), keys);
        stripe(room.values.values(), values);
    }

private:
    template <typename T> __device__ void stripe(T *all, T (&items)[N])
    { __exchange<__Block<X>>(all, items, items, __Blocked<X, N>(), __Striped<X, N>()); }
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

// What is beyond `valid` stays as it is, or becomes `rest`.
#define __CUB_DIRECT(name, Parameter, Place)                                                       \
    template <Parameter typename T, int N, typename P>                                             \
    __device__ void LoadDirect##name(int t, P from, T (&items)[N])                                 \
    {                                                                                              \
        for (int i = 0; i < N; ++i)                                                                \
            items[i] = from[Place(t, i)];                                                          \
    }                                                                                              \
    template <Parameter typename T, int N, typename P>                                             \
    __device__ void LoadDirect##name(int t, P from, T (&items)[N], int valid)                      \
    {                                                                                              \
        for (int i = 0; i < N; ++i)                                                                \
            if (Place(t, i) < valid)                                                               \
                items[i] = from[Place(t, i)];                                                      \
    }                                                                                              \
    template <Parameter typename T, int N, typename P, typename D>                                 \
    __device__ void LoadDirect##name(int t, P from, T (&items)[N], int valid, D rest)              \
    {                                                                                              \
        for (int i = 0; i < N; ++i)                                                                \
            items[i] = Place(t, i) < valid ? T(from[Place(t, i)]) : T(rest);                       \
    }                                                                                              \
    template <Parameter typename T, int N, typename P>                                             \
    __device__ void StoreDirect##name(int t, P to, T (&items)[N])                                  \
    {                                                                                              \
        for (int i = 0; i < N; ++i)                                                                \
            to[Place(t, i)] = items[i];                                                            \
    }                                                                                              \
    template <Parameter typename T, int N, typename P>                                             \
    __device__ void StoreDirect##name(int t, P to, T (&items)[N], int valid)                       \
    {                                                                                              \
        for (int i = 0; i < N; ++i)                                                                \
            if (Place(t, i) < valid)                                                               \
                to[Place(t, i)] = items[i];                                                        \
    }
#define __CUB_THREADS int X,
#define __CUB_STRIPED __Striped<X, N>()
#define __CUB_BLOCKED __Blocked<1, N>()
#define __CUB_WARP __WarpStriped<N>()
__CUB_DIRECT(Striped, __CUB_THREADS, __CUB_STRIPED)
__CUB_DIRECT(Blocked, , __CUB_BLOCKED)
__CUB_DIRECT(WarpStriped, , __CUB_WARP)
#undef __CUB_DIRECT
#undef __CUB_THREADS
#undef __CUB_STRIPED
#undef __CUB_BLOCKED
#undef __CUB_WARP

}
