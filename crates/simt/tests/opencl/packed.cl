// Packed structures: members that are not aligned, in global, local and private memory, read,
// written, changed in place; members with an alignment of their own.
//
//@ buffer raw u32 40 ints 5 0 4294967295
//@ buffer sizes u32 6 zero
//@ buffer back u32 40 zero
//@ run change <<<4, 4>>> (raw, back)
//@ run measure <<<1, 1>>> (sizes)
//@ check back exact
//@ expect sizes 37 5 12 8 16 32

#ifdef cl_khr_fp16
typedef half Narrow;
Narrow narrowed(float x) { return (half)x; }
#else
typedef ushort Narrow;
Narrow narrowed(float x)
{
    Narrow bits;
    vstore_half(x, 0, (half *)&bits);
    return bits;
}
#endif

typedef struct __attribute__((packed))
{
    uchar tag;
    uint number;
    double wide;
    Narrow narrow;
    short small;
    float2 pair;
    ulong bits;
    uchar end[4];
} Record;

typedef struct
{
    char c;
    int x;
} __attribute__((packed)) Five;

struct __attribute__((packed, aligned(4))) Mixed
{
    short a;
    int b;
    Five inner;
};

struct Member
{
    char c;
    int x __attribute__((packed));
    char more[3];
};

struct Apart
{
    char c;
    int x __attribute__((aligned(8)));
    char more[4];
};

typedef struct
{
    float v[5];
} __attribute__((aligned(32))) Wide;

__kernel void measure(__global uint *sizes)
{
    sizes[0] = sizeof(Record);
    sizes[1] = sizeof(Five);
    sizes[2] = sizeof(struct Mixed);
    sizes[3] = sizeof(struct Member);
    sizes[4] = sizeof(struct Apart);
    sizes[5] = sizeof(Wide);
}

__kernel void change(__global const uint *raw, __global uint *back)
{
    const int i = get_global_id(0);
    __local Record tile[4];
    __global const Record *from = (__global const Record *)raw;
    __global Record *to = (__global Record *)back;
    Record r = from[i];
    r.number += 0x01020304u;
    r.wide = i + 0.5;
    r.narrow = narrowed(3.0f * i);
    r.pair = (float2)(r.tag, -2.0f);
    tile[i] = r;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[i].bits ^= 0xff00ff00ff00ff00UL;
    ++tile[i].small;
    barrier(CLK_LOCAL_MEM_FENCE);
    to[i] = tile[3 - i];
    to[i].number ^= 0x80u;
    to[i].wide *= -2.0;
}
