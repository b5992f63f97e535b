// Dynamic shared memory of any type: a class that turns itself into a pointer, with a
// specialisation for doubles; and a sum that is a template over block size and evenness, so that
// the steps that are not needed vanish.
//
//@ buffer in f64 512 ints 3 0 9
//@ buffer sums f64 2 empty
//@ buffer counts i32 500 ints 4 -50 50
//@ buffer totals i32 2 empty
//@ run sum_doubles <<<2, 128, 1024>>> (in, sums, 512)
//@ run sum_ints <<<2, 128, 512>>> (counts, totals, 500)
//@ check sums exact
//@ check totals exact

// Two declarations of one `extern` array must not differ in type: so each type has an array of its
// own.
template <typename T>
struct Dynamic {
    __device__ operator T *() const
    {
        extern __shared__ int words[];
        return reinterpret_cast<T *>(words);
    }
};

template <>
struct Dynamic<double> {
    __device__ operator double *() const
    {
        extern __shared__ double doubles[];
        return doubles;
    }
};

template <typename T, int SIZE, bool EVEN>
__device__ void block_sums(const T *values, T *sums, int n)
{
    T *tile = Dynamic<T>();
    const int t = threadIdx.x;
    T mine = T();
    for (int i = 2 * SIZE * blockIdx.x + t; i < n; i += 2 * SIZE * gridDim.x) {
        mine += values[i];
        if (EVEN || i + SIZE < n)
            mine += values[i + SIZE];
    }
    tile[t] = mine;
    __syncthreads();
    if (SIZE >= 256) {
        if (t < 128)
            tile[t] = mine = mine + tile[t + 128];
        __syncthreads();
    }
    if (SIZE >= 128) {
        if (t < 64)
            tile[t] = mine = mine + tile[t + 64];
        __syncthreads();
    }
    if (t >= warpSize)
        return;
    mine += tile[t + 32];
    for (int half = warpSize / 2; half; half /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, half);
    if (!t)
        sums[blockIdx.x] = mine;
}

extern "C" __global__ void sum_doubles(const double *values, double *sums, int n)
{
    block_sums<double, 128, true>(values, sums, n);
}

extern "C" __global__ void sum_ints(const int *values, int *sums, int n)
{
    block_sums<int, 128, false>(values, sums, n);
}
