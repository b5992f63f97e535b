// Vector addition in five forms: guarded, shifted by one element, grid-stride loop, consecutive
// elements per thread, float4.
//
//@ buffer a f32 1000 rand 1 -1 1
//@ buffer b f32 1000 rand 2 -1 1
//@ buffer guarded f32 1000 empty
//@ buffer shifted f32 999 empty
//@ buffer strided f32 1000 empty
//@ buffer consecutive f32 1000 empty
//@ buffer wide f32 1000 empty
//@ run add_guarded <<<4, 256>>> (a, b, guarded, 1000)
//@ count gld_req 64 : 32 warps, two loads each; the last warp has 8 active lanes
//@ count gld_sec 250 : 31 full warps of 4 sectors and one of 8 words in 1 sector, twice
//@ count gst_req 32 : one store per warp
//@ count gst_sec 125 : 31 * 4 + 1
//@ count gld_lane 2000 : two loads per element
//@ count gst_bytes 4000 : 1000 floats
//@ count flop 1000 : one addition per element
//@ count br_exec 32 : the guard, once per warp
//@ count br_div 1 : only the last warp is cut by n
//@ run add_guarded <<<4, 256>>> (a+1, b+1, shifted, 999)
//@ count gld_sec 312 : 32 words from word 1 cost 5 sectors, 31 warps, and 7 words in the last sector: (155 + 1) * 2
//@ count gst_sec 125 : the output is aligned: 31 * 4 + 1
//@ run add_strided <<<2, 128>>> (a, b, strided, 1000)
//@ count gld_req 64 : 8 warps, 4 rounds, two loads
//@ count br_exec 40 : 8 warps test 4 times with success and once without
//@ count br_div 1 : in the last round one warp has 8 of its lanes below n
//@ run add_consecutive <<<1, 256>>> (a, b, consecutive, 1000)
//@ count gld_req 64 : 8 warps, 4 elements, two loads
//@ count gld_sec 1000 : stride of 16 bytes: each of the 4 requests touches all 125 sectors of each array
//@ run add_wide <<<1, 256>>> (a, b, wide, 250)
//@ count gld_req 16 : 8 warps, two loads of 16 bytes
//@ count gld_sec 250 : each sector once
//@ check guarded exact
//@ check shifted exact
//@ check strided exact
//@ check consecutive exact
//@ check wide exact

extern "C" __global__ void add_guarded(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

extern "C" __global__ void add_strided(const float *a, const float *b, float *c, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        c[i] = a[i] + b[i];
}

extern "C" __global__ void add_consecutive(const float *a, const float *b, float *c, int n)
{
    int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
#pragma unroll 1
    for (int k = 0; k < 4; ++k) {
        int i = first + k;
        if (i < n)
            c[i] = a[i] + b[i];
    }
}

extern "C" __global__ void add_wide(const float *a, const float *b, float *c, int quads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < quads) {
        float4 x = reinterpret_cast<const float4 *>(a)[i];
        float4 y = reinterpret_cast<const float4 *>(b)[i];
        reinterpret_cast<float4 *>(c)[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    }
}
