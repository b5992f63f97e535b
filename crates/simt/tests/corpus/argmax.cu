// Largest element and its place, smallest place on ties; minimum and maximum in one pass. Structs
// travel through shared memory.
//
//@ buffer x f32 700 ints 31 -300 300
//@ buffer place i32 1 empty
//@ buffer bounds f32 2 empty
//@ run argmax <<<1, 128>>> (x, 700, place)
//@ run min_max <<<1, 64>>> (x, 700, bounds)
//@ check place exact
//@ check bounds exact

struct Candidate {
    float value;
    int index;
};

__device__ inline Candidate better(const Candidate &a, const Candidate &b)
{
    if (a.value > b.value || (a.value == b.value && a.index < b.index))
        return a;
    return b;
}

extern "C" __global__ void argmax(const float *x, int n, int *place)
{
    __shared__ Candidate best[128];
    Candidate mine = {-3.0e38f, 0x7fffffff};
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        Candidate c = {x[i], i};
        mine = better(mine, c);
    }
    best[threadIdx.x] = mine;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half)
            best[threadIdx.x] = better(best[threadIdx.x], best[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *place = best[0].index;
}

extern "C" __global__ void min_max(const float *x, int n, float *bounds)
{
    __shared__ float2 s[64];
    float2 mine = make_float2(x[0], x[0]);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        mine.x = fminf(mine.x, x[i]);
        mine.y = fmaxf(mine.y, x[i]);
    }
    s[threadIdx.x] = mine;
    __syncthreads();
    for (int half = 32; half > 0; half >>= 1) {
        if (threadIdx.x < half) {
            float2 other = s[threadIdx.x + half];
            s[threadIdx.x].x = fminf(s[threadIdx.x].x, other.x);
            s[threadIdx.x].y = fmaxf(s[threadIdx.x].y, other.y);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        bounds[0] = s[0].x;
        bounds[1] = s[0].y;
    }
}
