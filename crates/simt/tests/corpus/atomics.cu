// Every atomic operation on the types that have it; results do not depend on the order of the
// threads.
//
//@ buffer x i32 300 ints 241 -1000 1000
//@ buffer ints i32 7 list 0 0 2000 -2000 -1 0 0
//@ buffer uints u32 6 list 0 4294967295 0 0 10 4294967295
//@ buffer longs u64 3 list 0 0 18446744073709551615
//@ buffer floats f32 2 list 0 -1e30
//@ buffer doubles f64 1 zero
//@ buffer winner i32 2 list -1 0
//@ buffer turns i32 300 empty
//@ symbol next_turn i32 1 zero
//@ run atomics_int <<<3, 100>>> (x, ints)
//@ count atom_req 84 : 3 blocks of 4 warps, 7 operations
//@ run atomics_unsigned <<<3, 100>>> (x, uints)
//@ run atomics_wide <<<3, 100>>> (x, longs, floats, doubles)
//@ run once <<<2, 64>>> (winner)
//@ run take_turns <<<3, 100>>> (turns)
//@ check ints exact
//@ check uints exact
//@ check longs exact
//@ check floats exact
//@ check doubles exact
//@ check winner exact
//@ check turns exact
//@ check next_turn exact

extern "C" __global__ void atomics_int(const int *x, int *r)
{
    int v = x[blockIdx.x * blockDim.x + threadIdx.x];
    atomicAdd(&r[0], v);
    atomicSub(&r[1], v);
    atomicMin(&r[2], v);
    atomicMax(&r[3], v);
    atomicAnd(&r[4], v | 0xff00);
    atomicOr(&r[5], v & 0xff);
    atomicXor(&r[6], v);
}

extern "C" __global__ void atomics_unsigned(const int *x, unsigned *r)
{
    unsigned v = (unsigned)x[blockIdx.x * blockDim.x + threadIdx.x];
    atomicAdd(&r[0], v);
    atomicMin(&r[1], v);
    atomicMax(&r[2], v);
    atomicInc(&r[3], 16u);
    atomicDec(&r[4], 12u);
    atomicAnd(r + 5, v | 0xffu);
}

__device__ void atomic_max(float *address, float value)
{
    int *bits = (int *)address;
    int old = atomicAdd(bits, 0), seen;
    do {
        seen = old;
        if (__int_as_float(seen) >= value)
            return;
        old = atomicCAS(bits, seen, __float_as_int(value));
    } while (old != seen);
}

extern "C" __global__ void atomics_wide(const int *x, unsigned long long *l, float *f, double *d)
{
    int v = x[blockIdx.x * blockDim.x + threadIdx.x];
    atomicAdd(&l[0], 1ull << 33);
    atomicMax(&l[1], (unsigned long long)(v + 1000) << 32);
    atomicMin(&l[2], (unsigned long long)(v + 1000) * 10000000000ull);
    atomicAdd(&f[0], (float)v);
    atomic_max(&f[1], (float)v);
    atomicAdd(d, v * 0.5);
}

// Of all threads one sees the old value.
extern "C" __global__ void once(int *r)
{
    if (atomicCAS(&r[0], -1, 77) == -1) {
        atomicAdd(&r[1], 1);
        atomicExch(&r[0], 99);
    }
}

__device__ int next_turn;

// Each thread gets a number of its own: all numbers 0..299 occur.
extern "C" __global__ void take_turns(int *turns)
{
    int mine = atomicAdd(&next_turn, 1);
    turns[mine] = mine;
}
