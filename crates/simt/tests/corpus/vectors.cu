// Built-in vector types: loads and stores of 8 and 16 bytes, members, conversion, arrays of them in
// shared memory.
//
//@ buffer a f32 256 ints 271 -30 30
//@ buffer b f32 256 empty
//@ buffer n i32 256 ints 272 -30 30
//@ buffer m i32 128 empty
//@ buffer d f64 128 rand 273 -1 1
//@ buffer e f64 64 empty
//@ buffer bytes u8 256 ints 274 0 255
//@ buffer words u32 64 empty
//@ run rotate_quads <<<1, 64>>> (a, b)
//@ count gld_req 2 : two warps, one load of 16 bytes
//@ count gld_sec 32 : 16 sectors each
//@ count shst_wf 8 : 16 bytes per lane: a quarter warp per wavefront, two warps
//@ count shld_wf 8 : the same
//@ run pairs <<<1, 64>>> (n, m)
//@ run norms <<<1, 64>>> (d, e)
//@ count gld_sec 32 : double2: 16 bytes per lane
//@ run pack <<<1, 64>>> (bytes, words)
//@ check b exact
//@ check m exact
//@ check e exact
//@ check words exact

extern "C" __global__ void rotate_quads(const float4 *a, float4 *b)
{
    __shared__ float4 s[64];
    int i = threadIdx.x;
    s[i] = a[i];
    __syncthreads();
    float4 v = s[63 - i];
    b[i] = make_float4(v.y, v.z, v.w, v.x);
}

extern "C" __global__ void pairs(const int4 *n, int2 *m)
{
    int4 v = n[threadIdx.x];
    int2 r;
    r.x = v.x * v.y;
    r.y = v.z - v.w;
    int3 t = make_int3(r.x, r.y, 1);
    t.z += t.x > t.y;
    m[threadIdx.x] = make_int2(t.x + t.z, t.y);
}

extern "C" __global__ void norms(const double2 *d, double *e)
{
    const double2 v = d[threadIdx.x];
    e[threadIdx.x] = sqrt(v.x * v.x + v.y * v.y);
}

extern "C" __global__ void pack(const uchar4 *bytes, unsigned *words)
{
    uchar4 v = bytes[threadIdx.x];
    uint2 u = make_uint2(v.x | v.y << 8, v.z | v.w << 8);
    ushort2 h = make_ushort2(u.x, u.y);
    words[threadIdx.x] = h.x | (unsigned)h.y << 16;
}
