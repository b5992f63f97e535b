// Array of structs against struct of arrays: the same motion, other sectors. Bank conflicts by
// stride; alignment of structs.
//
//@ buffer aos f32 768 ints 231 -50 50
//@ buffer soa f32 768 ints 232 -50 50
//@ buffer strided i32 1024 empty
//@ buffer sizes i32 8 empty
//@ run move_aos <<<2, 128>>> (aos, 256, 2)
//@ count gld_req 24 : 8 warps, three members
//@ count gld_sec 288 : lanes are 12 bytes apart: a request touches all 12 sectors of 384 bytes
//@ run move_soa <<<2, 128>>> (soa, soa+256, soa+512, 256, 2)
//@ count gld_req 24 : 8 warps, three arrays
//@ count gld_sec 96 : each in order: 4 sectors
//@ run strides <<<1, 32>>> (strided, 1)
//@ count shld_wf 1 : consecutive words
//@ run strides <<<1, 32>>> (strided, 2)
//@ count shld_wf 2 : two words per bank
//@ run strides <<<1, 32>>> (strided, 32)
//@ count shld_wf 32 : all in one bank
//@ run strides <<<1, 32>>> (strided, 33)
//@ count shld_wf 1 : 33 is odd: every bank once
//@ run strides <<<1, 32>>> (strided, 0)
//@ count shld_wf 1 : one word for all
//@ run layout <<<1, 1>>> (sizes)
//@ check aos exact
//@ check soa exact
//@ check sizes exact

struct Particle {
    float x, y, z;
};

extern "C" __global__ void move_aos(Particle *p, int n, float step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += step;
        p[i].y += 2 * step;
        p[i].z += 3 * step;
    }
}

extern "C" __global__ void move_soa(float *x, float *y, float *z, int n, float step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] += step;
        y[i] += 2 * step;
        z[i] += 3 * step;
    }
}

extern "C" __global__ void strides(int *out, int stride)
{
    __shared__ int s[32 * 33];
    for (int i = threadIdx.x; i < 32 * 33; i += 32)
        s[i] = i;
    __syncwarp();
    out[threadIdx.x] = s[(threadIdx.x * stride) % (32 * 33)];
}

struct Mixed {
    char tag;
    double value;
    short count;
};

struct __align__(16) Aligned {
    float a, b, c;
};

union Bits {
    float f;
    unsigned u;
};

extern "C" __global__ void layout(int *sizes)
{
    sizes[0] = sizeof(Mixed);
    sizes[1] = sizeof(Aligned);
    sizes[2] = sizeof(Bits);
    sizes[3] = sizeof(float3);
    sizes[4] = alignof(float4);
    sizes[5] = sizeof(long) + sizeof(size_t);
    Bits b;
    b.f = 1.0f;
    sizes[6] = b.u >> 23;
    Mixed m = {'x', 2.5, 7};
    Mixed copy = m;
    copy.count += m.tag == 'x' ? 1 : 0;
    sizes[7] = copy.count + (int)(copy.value * 2);
}
