// k-means: nearest centre by squared distance with the centres in constant memory; new sums by
// atomics in shared memory.
//
//@ buffer points f32 1000 ints 221 0 100
//@ buffer owner i32 500 empty
//@ buffer sums f32 10 zero
//@ buffer counts i32 5 zero
//@ buffer moved f32 10 empty
//@ symbol centres f32 10 list 10 10 90 10 50 50 10 90 90 90
//@ run assign <<<4, 128>>> (points, owner, 500, 5)
//@ run accumulate <<<4, 128>>> (points, owner, 500, sums, counts)
//@ run divide <<<1, 5>>> (sums, counts, moved)
//@ check owner exact
//@ check sums exact
//@ check counts exact
//@ check moved exact

#define K 5
__constant__ float2 centres[K];

extern "C" __global__ void assign(const float2 *points, int *owner, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float2 p = points[i];
    float nearest = 3.4e38f;
    int which = -1;
    for (int c = 0; c < k; ++c) {
        float dx = p.x - centres[c].x, dy = p.y - centres[c].y;
        float d = dx * dx + dy * dy;
        if (d < nearest) {
            nearest = d;
            which = c;
        }
    }
    owner[i] = which;
}

extern "C" __global__ void accumulate(const float2 *points, const int *owner, int n, float2 *sums,
                                      int *counts)
{
    __shared__ float sx[K], sy[K];
    __shared__ int c[K];
    if (threadIdx.x < K) {
        sx[threadIdx.x] = sy[threadIdx.x] = 0.0f;
        c[threadIdx.x] = 0;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int o = owner[i];
        atomicAdd(&sx[o], points[i].x);
        atomicAdd(&sy[o], points[i].y);
        atomicAdd(&c[o], 1);
    }
    __syncthreads();
    if (threadIdx.x < K) {
        atomicAdd(&sums[threadIdx.x].x, sx[threadIdx.x]);
        atomicAdd(&sums[threadIdx.x].y, sy[threadIdx.x]);
        atomicAdd(&counts[threadIdx.x], c[threadIdx.x]);
    }
}

extern "C" __global__ void divide(const float2 *sums, const int *counts, float2 *moved)
{
    int i = threadIdx.x;
    float n = counts[i] > 0 ? counts[i] : 1;
    moved[i].x = sums[i].x / n;
    moved[i].y = sums[i].y / n;
}
