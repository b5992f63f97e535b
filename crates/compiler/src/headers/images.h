// Images and samplers of OpenCL C over a descriptor in global memory, whose address an image is:
// the descriptor is that of `texture.h`. What lies outside of an image is 0; a coordinate outside
// of it with CLK_ADDRESS_NONE, or in a write, is a failed assertion, for its result is undefined.
#pragma once

struct __cl_picture {
    char *data;
    unsigned int width, height, depth; // texels
    unsigned int pitch;                // bytes from row to row
    unsigned int channels;             // 1, 2 or 4
    unsigned int bits;                 // of a channel: 8, 16 or 32
    unsigned int is_signed;
    unsigned int filter;     // of textures; here the sampler says it
    unsigned int address[3];
    unsigned int unit_coords;
    unsigned int unit_values; // numbers of 16 bits are 0 to 1, or -1 to 1; else halves
    unsigned int type;        // of a channel, as OpenCL numbers it
};

struct image1d_t { const __cl_picture *about; };
struct image1d_buffer_t { const __cl_picture *about; };
struct image1d_array_t { const __cl_picture *about; };
struct image2d_t { const __cl_picture *about; };
struct image2d_array_t { const __cl_picture *about; };
struct image3d_t { const __cl_picture *about; };
typedef unsigned int sampler_t;

// ---- addressing: bit 0 of a sampler are coordinates from 0 to 1, bits 1 to 3 the mode, bit 5
// linear
__device__ int __cl_texel(int i, int n, unsigned int mode)
{
    if (i >= 0 && i < n)
        return i;
    if (mode == 6) {
        int r = i % n;
        return r < 0 ? r + n : r;
    }
    if (mode == 8) {
        int r = i % (2 * n);
        r = r < 0 ? r + 2 * n : r;
        return r < n ? r : 2 * n - 1 - r;
    }
    assert(mode != 0 && "CLK_ADDRESS_NONE: the coordinate lies inside of the image");
    return mode == 4 ? -1 : i < 0 ? 0 : n - 1;
}
__device__ const char *__cl_address(const __cl_picture &t, int i, int j, int k)
{
    return t.data + ((size_t)k * t.height + j) * t.pitch + (size_t)i * (t.channels * (t.bits / 8));
}

// ---- texels
__device__ float __cl_channel(const __cl_picture &t, const char *at, int c, float)
{
    if (t.bits == 32)
        return ((const float *)at)[c];
    if (t.bits == 8)
        return t.is_signed ? fmaxf(((const signed char *)at)[c] / 127.0f, -1.0f)
                           : ((const unsigned char *)at)[c] / 255.0f;
    if (!t.unit_values)
        return __half2float(((const half *)at)[c]);
    return t.is_signed ? fmaxf(((const short *)at)[c] / 32767.0f, -1.0f)
                       : ((const unsigned short *)at)[c] / 65535.0f;
}
__device__ int __cl_channel(const __cl_picture &t, const char *at, int c, int)
{
    if (t.bits == 32)
        return ((const int *)at)[c];
    if (t.bits == 8)
        return t.is_signed ? ((const signed char *)at)[c] : ((const unsigned char *)at)[c];
    return t.is_signed ? ((const short *)at)[c] : ((const unsigned short *)at)[c];
}
// The channels that an image has not are 0, the last one 1.
template <typename V, typename E>
__device__ V __cl_texel_of(const __cl_picture &t, int i, int j, int k)
{
    V v;
    v.x = 0;
    v.y = 0;
    v.z = 0;
    v.w = t.channels == 4 ? 0 : 1;
    if (i < 0 || j < 0 || k < 0)
        return v;
    const char *at = __cl_address(t, i, j, k);
    v.x = __cl_channel(t, at, 0, (E)0);
    if (t.channels > 1)
        v.y = __cl_channel(t, at, 1, (E)0);
    if (t.channels == 4) {
        v.z = __cl_channel(t, at, 2, (E)0);
        v.w = __cl_channel(t, at, 3, (E)0);
    }
    return v;
}
template <typename V> __device__ V __cl_get(const __cl_picture &t, int i, int j, int k);
template <> __device__ float4 __cl_get<float4>(const __cl_picture &t, int i, int j, int k)
{ return __cl_texel_of<float4, float>(t, i, j, k); }
template <> __device__ int4 __cl_get<int4>(const __cl_picture &t, int i, int j, int k)
{ return __cl_texel_of<int4, int>(t, i, j, k); }
template <> __device__ uint4 __cl_get<uint4>(const __cl_picture &t, int i, int j, int k)
{
    int4 v = __cl_get<int4>(t, i, j, k);
    uint4 u;
    u.x = v.x;
    u.y = v.y;
    u.z = v.z;
    u.w = v.w;
    return u;
}

// ---- reads: `axes` are filtered; `layer` is the number of a layer in an array
template <typename V>
__device__ V __cl_near(const __cl_picture &t, sampler_t s, int axes, int x, int y, int z)
{
    const unsigned int mode = s & 14;
    int i = __cl_texel(x, t.width, mode), j = 0, k = 0;
    if (axes > 1)
        j = __cl_texel(y, t.height, mode);
    if (axes > 2)
        k = __cl_texel(z, t.depth, mode);
    return __cl_get<V>(t, i, j, k);
}
template <typename V>
__device__ V __cl_sample(const __cl_picture &t, sampler_t s, int axes, float x, float y, float z)
{
    if (s & 1) {
        x *= t.width;
        y *= t.height;
        z *= t.depth;
    }
    if (!(s & 32))
        return __cl_near<V>(t, s, axes, (int)floor(x), (int)floor(y), (int)floor(z));
    const unsigned int mode = s & 14;
    x -= 0.5f;
    y = axes > 1 ? y - 0.5f : 0.0f;
    z = axes > 2 ? z - 0.5f : 0.0f;
    const float a = x - floor(x), b = y - floor(y), c = z - floor(z);
    const int i = (int)floor(x), j = (int)floor(y), k = (int)floor(z);
    V sum;
    sum.x = 0;
    sum.y = 0;
    sum.z = 0;
    sum.w = 0;
    for (int n = 0; n < 1 << axes; ++n) {
        float weight = n & 1 ? a : 1.0f - a;
        if (axes > 1)
            weight *= n & 2 ? b : 1.0f - b;
        if (axes > 2)
            weight *= n & 4 ? c : 1.0f - c;
        V v = __cl_near<V>(t, s, axes, i + (n & 1), j + (n >> 1 & 1), k + (n >> 2 & 1));
        sum.x += weight * v.x;
        sum.y += weight * v.y;
        sum.z += weight * v.z;
        sum.w += weight * v.w;
    }
    return sum;
}
// One layer of an array; its number is rounded and kept inside.
__device__ __cl_picture __cl_layer(const __cl_picture &t, int layer, unsigned int rows,
                                   unsigned int count)
{
    __cl_picture one = t;
    int k = min(max(layer, 0), (int)count - 1);
    one.data += (size_t)k * rows * t.pitch;
    return one;
}

// ---- writes
__device__ char *__cl_target(const __cl_picture &t, int x, int y, int z)
{
    bool inside =
        x >= 0 && x < (int)t.width && y >= 0 && y < (int)t.height && z >= 0 && z < (int)t.depth;
    assert(inside && "an image is written at a coordinate inside of it");
    return (char *)__cl_address(t, x, y, z);
}
__device__ void __cl_set(const __cl_picture &t, char *at, int c, float v)
{
    if (t.bits == 32) {
        ((float *)at)[c] = v;
    } else if (t.bits == 16 && !t.unit_values) {
        ((half *)at)[c] = __float2half(v);
    } else {
        float most = (float)((1 << (t.bits - (t.is_signed ? 1 : 0))) - 1);
        int whole = (int)rint(fmin(fmax(v, t.is_signed ? -1.0f : 0.0f), 1.0f) * most);
        if (t.bits == 8)
            at[c] = (char)whole;
        else
            ((short *)at)[c] = (short)whole;
    }
}
template <typename E> __device__ void __cl_set_whole(const __cl_picture &t, char *at, int c, E v)
{
    if (t.bits == 32) {
        ((E *)at)[c] = v;
        return;
    }
    const long long least = t.is_signed ? -(1 << (t.bits - 1)) : 0,
                    most = (1 << (t.bits - (t.is_signed ? 1 : 0))) - 1;
    const int whole = (int)min(max((long long)v, least), most);
    if (t.bits == 8)
        at[c] = (char)whole;
    else
        ((short *)at)[c] = (short)whole;
}
__device__ void __cl_set(const __cl_picture &t, char *at, int c, int v)
{ __cl_set_whole<int>(t, at, c, v); }
__device__ void __cl_set(const __cl_picture &t, char *at, int c, unsigned int v)
{ __cl_set_whole<unsigned int>(t, at, c, v); }
template <typename V> __device__ void __cl_put(const __cl_picture &t, int x, int y, int z, V v)
{
    char *at = __cl_target(t, x, y, z);
    __cl_set(t, at, 0, v.x);
    if (t.channels > 1)
        __cl_set(t, at, 1, v.y);
    if (t.channels == 4) {
        __cl_set(t, at, 2, v.z);
        __cl_set(t, at, 3, v.w);
    }
}

// ---- the names that programs use
#define __CL_ABOUT(image) \
    __device__ int __cl_get_image_width(image m) { return m.about->width; } \
    __device__ int __cl_get_image_channel_data_type(image m) { return m.about->type; } \
    __device__ int __cl_get_image_channel_order(image m) \
    { \
        const unsigned int n = m.about->channels; \
        return n == 4 ? 0x10b5 : n == 2 ? 0x10b2 : 0x10b0; /* CLK_RGBA, CLK_RG, CLK_R */ \
    }
#define __CL_IMAGE(image, axes, ints, floats, x, y, z)                                             \
    __CL_READS(image, axes, ints, floats, x, y, z, f, float4)                                      \
    __CL_READS(image, axes, ints, floats, x, y, z, i, int4)                                        \
    __CL_READS(image, axes, ints, floats, x, y, z, ui, uint4)                                      \
    __CL_PLAIN(image, axes, ints, x, y, z)
#define __CL_READS(image, axes, ints, floats, x, y, z, f, V) \
    __device__ V __cl_read_image##f(image m, sampler_t s, ints c) \
    { return __cl_near<V>(*m.about, s, axes, x, y, z); } \
    __device__ V __cl_read_image##f(image m, sampler_t s, floats c) \
    { return __cl_sample<V>(*m.about, s, axes, x, y, z); }
#define __CL_PLAIN(image, axes, ints, x, y, z) \
    __device__ float4 __cl_read_imagef(image m, ints c) \
    { return __cl_near<float4>(*m.about, 0, axes, x, y, z); } \
    __device__ int4 __cl_read_imagei(image m, ints c) \
    { return __cl_near<int4>(*m.about, 0, axes, x, y, z); } \
    __device__ uint4 __cl_read_imageui(image m, ints c) \
    { return __cl_near<uint4>(*m.about, 0, axes, x, y, z); } \
    __device__ void __cl_write_imagef(image m, ints c, float4 v) \
    { __cl_put<float4>(*m.about, x, y, z, v); } \
    __device__ void __cl_write_imagei(image m, ints c, int4 v) \
    { __cl_put<int4>(*m.about, x, y, z, v); } \
    __device__ void __cl_write_imageui(image m, ints c, uint4 v) \
    { __cl_put<uint4>(*m.about, x, y, z, v); } \
    __CL_ABOUT(image)
#define __CL_LAYERS(image, axes, ints, floats, x, y, number, rows, count)                          \
    __CL_LAYER_READS(image, axes, ints, floats, x, y, number, rows, count, f, float4)              \
    __CL_LAYER_READS(image, axes, ints, floats, x, y, number, rows, count, i, int4)                \
    __CL_LAYER_READS(image, axes, ints, floats, x, y, number, rows, count, ui, uint4)              \
    __CL_LAYER_WRITES(image, ints, x, y, number, rows, count, f, float4)                           \
    __CL_LAYER_WRITES(image, ints, x, y, number, rows, count, i, int4)                             \
    __CL_LAYER_WRITES(image, ints, x, y, number, rows, count, ui, uint4)                           \
    __CL_ABOUT(image)                                                                              \
    __device__ size_t __cl_get_image_array_size(image m) { return m.about->count; }
#define __CL_LAYER_READS(image, axes, ints, floats, x, y, number, rows, count, f, V) \
    __device__ V __cl_read_image##f(image m, sampler_t s, ints c) \
    { return __cl_near<V>(__cl_layer(*m.about, number, rows, m.about->count), s, axes, x, y, 0); } \
    __device__ V __cl_read_image##f(image m, sampler_t s, floats c) \
    { \
        return __cl_sample<V>(__cl_layer(*m.about, (int)rint(number), rows, m.about->count), s, \
                              axes, x, y, 0.0f); \
    } \
    __device__ V __cl_read_image##f(image m, ints c) { return __cl_read_image##f(m, 0u, c); }
#define __CL_LAYER_WRITES(image, ints, x, y, number, rows, count, f, V) \
    __device__ void __cl_write_image##f(image m, ints c, V v) \
    { \
        assert(number >= 0 && number < (int)m.about->count && "a layer of the image"); \
        __cl_put<V>(__cl_layer(*m.about, number, rows, m.about->count), x, y, 0, v); \
    }

__CL_IMAGE(image1d_t, 1, int, float, c, 0, 0)
__CL_PLAIN(image1d_buffer_t, 1, int, c, 0, 0)
__CL_IMAGE(image2d_t, 2, int2, float2, c.x, c.y, 0)
__CL_IMAGE(image3d_t, 3, int4, float4, c.x, c.y, c.z)
__CL_LAYERS(image1d_array_t, 1, int2, float2, c.x, 0, c.y, 1, height)
__CL_LAYERS(image2d_array_t, 2, int4, float4, c.x, c.y, c.z, m.about->height, depth)
#undef __CL_ABOUT
#undef __CL_IMAGE
#undef __CL_READS
#undef __CL_PLAIN
#undef __CL_LAYERS
#undef __CL_LAYER_READS
#undef __CL_LAYER_WRITES

__device__ int __cl_get_image_height(image2d_t m) { return m.about->height; }
__device__ int __cl_get_image_height(image2d_array_t m) { return m.about->height; }
__device__ int __cl_get_image_height(image3d_t m) { return m.about->height; }
__device__ int __cl_get_image_depth(image3d_t m) { return m.about->depth; }
__device__ int2 __cl_get_image_dim(image2d_t m)
{
    int2 v;
    v.x = m.about->width;
    v.y = m.about->height;
    return v;
}
__device__ int2 __cl_get_image_dim(image2d_array_t m)
{
    int2 v;
    v.x = m.about->width;
    v.y = m.about->height;
    return v;
}
__device__ int4 __cl_get_image_dim(image3d_t m)
{
    int4 v;
    v.x = m.about->width;
    v.y = m.about->height;
    v.z = m.about->depth;
    v.w = 0;
    return v;
}
