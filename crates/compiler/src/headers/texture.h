// Textures and surfaces over a descriptor in device memory: an object is the descriptor's address,
// a reference (`texture<float, 2> t;`) is the descriptor itself, in constant memory. Filtering as
// the CUDA programming guide says: weights have 8 fractional bits.
#pragma once

enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaTextureAddressMode {
    cudaAddressModeWrap = 0,
    cudaAddressModeClamp = 1,
    cudaAddressModeMirror = 2,
    cudaAddressModeBorder = 3
};
enum cudaSurfaceBoundaryMode {
    cudaBoundaryModeZero = 0,
    cudaBoundaryModeClamp = 1,
    cudaBoundaryModeTrap = 2
};
#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0C
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define cudaSurfaceType1D 0x01
#define cudaSurfaceType2D 0x02
#define cudaSurfaceType3D 0x03
#define cudaSurfaceType2DLayered 0xF2

// 64 bytes that the host fills; see docs/kernel-language.md.
struct __texture_data {
    char *data;
    unsigned int width, height, depth; // texels
    unsigned int pitch;                // bytes from row to row
    unsigned int channels;             // 1, 2 or 4
    unsigned int bits;                 // of a channel: 8, 16 or 32
    unsigned int is_signed;
    unsigned int filter;        // cudaTextureFilterMode
    unsigned int address[3];    // cudaTextureAddressMode by axis
    unsigned int unit_coords;   // coordinates are 0 to 1
    unsigned int unit_values;   // integers are read as 0 to 1, or -1 to 1
};

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef cudaTextureObject_t CUtexObject;
typedef cudaSurfaceObject_t CUsurfObject;

template <typename T, int Kind = 1, cudaTextureReadMode Mode = cudaReadModeElementType>
struct texture {
    __texture_data about;
};
template <typename T, int Kind = 1> struct surface {
    __texture_data about;
};

// Channels of a texel, and the type that a read as real numbers gives.
template <typename T> struct __texel;
#define __TEXEL(T, C, N, R)                                                                        \
    template <> struct __texel<T> {                                                                \
        typedef C channel;                                                                         \
        typedef R real;                                                                            \
        static constexpr int channels = N;                                                         \
    };
#define __TEXELS(B, C) \
    __TEXEL(C, C, 1, float) \
    __TEXEL(B##1, C, 1, float1) __TEXEL(B##2, C, 2, float2) __TEXEL(B##4, C, 4, float4)
__TEXELS(char, char)
__TEXELS(uchar, unsigned char)
__TEXELS(short, short)
__TEXELS(ushort, unsigned short)
__TEXELS(int, int)
__TEXELS(uint, unsigned int)
__TEXELS(float, float)
__TEXEL(signed char, signed char, 1, float)
#undef __TEXELS
#undef __TEXEL

// The texel number of one axis, or -1 for the border.
__device__ int __texture_index(int i, unsigned int n, unsigned int mode, unsigned int unit)
{
    int size = n;
    if (i >= 0 && i < size)
        return i;
    if (mode == cudaAddressModeBorder)
        return -1;
    if (mode == cudaAddressModeWrap && unit) {
        int r = i % size;
        return r < 0 ? r + size : r;
    }
    if (mode == cudaAddressModeMirror && unit) {
        int r = i % (2 * size);
        r = r < 0 ? r + 2 * size : r;
        return r < size ? r : 2 * size - 1 - r;
    }
    return i < 0 ? 0 : size - 1;
}

__device__ float __texture_unit(const __texture_data &t, const char *at, int channel)
{
    if (t.bits == 8)
        return t.is_signed ? fmaxf(((const signed char *)at)[channel] / 127.0f, -1.0f)
                           : ((const unsigned char *)at)[channel] / 255.0f;
    return t.is_signed ? fmaxf(((const short *)at)[channel] / 32767.0f, -1.0f)
                       : ((const unsigned short *)at)[channel] / 65535.0f;
}

// One texel, by whole numbers; outside of the picture zero.
template <typename T> __device__ T __texture_texel(const __texture_data &t, int i, int j, int k)
{
    T v = {};
    if (i < 0 || j < 0 || k < 0)
        return v;
    const char *row = t.data + ((size_t)k * t.height + j) * t.pitch;
    const char *at = row + (size_t)i * (t.channels * (t.bits / 8));
    if (t.unit_values) {
        typedef typename __texel<T>::channel channel;
        channel *parts = (channel *)&v;
        for (int c = 0; c < __texel<T>::channels; ++c)
            parts[c] = (channel)__texture_unit(t, at, c);
        return v;
    }
    return *(const T *)at;
}

// A linear weight with 8 fractional bits.
__device__ float __texture_weight(float x)
{ return rintf((x - floorf(x)) * 256.0f) * (1.0f / 256.0f); }

template <typename T>
__device__ T __texture_read(const __texture_data &t, int axes, float x, float y, float z)
{
    const unsigned int unit = t.unit_coords;
    if (unit) {
        x *= t.width;
        if (axes > 1)
            y *= t.height;
        if (axes > 2)
            z *= t.depth;
    }
    const unsigned int w = t.width, h = t.height, d = t.depth;
    const unsigned int *mode = t.address;
    if (t.filter == cudaFilterModePoint) {
        int i = __texture_index((int)floorf(x), w, mode[0], unit);
        int j = axes > 1 ? __texture_index((int)floorf(y), h, mode[1], unit) : 0;
        int k = axes > 2 ? __texture_index((int)floorf(z), d, mode[2], unit) : 0;
        return __texture_texel<T>(t, i, j, k);
    }
    typedef typename __texel<T>::channel channel;
    T sum = {};
    channel *parts = (channel *)&sum;
    const float a = __texture_weight(x - 0.5f), b = __texture_weight(y - 0.5f),
                c = __texture_weight(z - 0.5f);
    const int i = (int)floorf(x - 0.5f), j = (int)floorf(y - 0.5f), k = (int)floorf(z - 0.5f);
    for (int n = 0; n < 1 << axes; ++n) {
        float weight = n & 1 ? a : 1.0f - a;
        if (axes > 1)
            weight *= n & 2 ? b : 1.0f - b;
        if (axes > 2)
            weight *= n & 4 ? c : 1.0f - c;
        int u = __texture_index(i + (n & 1), w, mode[0], unit);
        int v = axes > 1 ? __texture_index(j + (n >> 1 & 1), h, mode[1], unit) : 0;
        int l = axes > 2 ? __texture_index(k + (n >> 2 & 1), d, mode[2], unit) : 0;
        T texel = __texture_texel<T>(t, u, v, l);
        const channel *read = (const channel *)&texel;
        for (int m = 0; m < __texel<T>::channels; ++m)
            parts[m] += (channel)(weight * read[m]);
    }
    return sum;
}

template <typename T> __device__ T __texture_fetch(const __texture_data &t, int i)
{
    return __texture_texel<T>(t, i < (int)t.width ? i : -1, 0, 0);
}

__device__ const __texture_data &__texture_of(cudaTextureObject_t object)
{ return *(const __texture_data *)object; }

// ---- objects
template <typename T> __device__ T tex1Dfetch(cudaTextureObject_t t, int i)
{ return __texture_fetch<T>(__texture_of(t), i); }
template <typename T> __device__ T tex1D(cudaTextureObject_t t, float x)
{ return __texture_read<T>(__texture_of(t), 1, x, 0.0f, 0.0f); }
template <typename T> __device__ T tex2D(cudaTextureObject_t t, float x, float y)
{ return __texture_read<T>(__texture_of(t), 2, x, y, 0.0f); }
template <typename T> __device__ T tex3D(cudaTextureObject_t t, float x, float y, float z)
{ return __texture_read<T>(__texture_of(t), 3, x, y, z); }
template <typename T> __device__ T tex1DLod(cudaTextureObject_t t, float x, float)
{ return tex1D<T>(t, x); }
template <typename T> __device__ T tex2DLod(cudaTextureObject_t t, float x, float y, float)
{ return tex2D<T>(t, x, y); }
template <typename T> __device__ T tex3DLod(cudaTextureObject_t t, float x, float y, float z, float)
{ return tex3D<T>(t, x, y, z); }
template <typename T> __device__ void tex1Dfetch(T *v, cudaTextureObject_t t, int i)
{ *v = tex1Dfetch<T>(t, i); }
template <typename T> __device__ void tex1D(T *v, cudaTextureObject_t t, float x)
{ *v = tex1D<T>(t, x); }
template <typename T> __device__ void tex2D(T *v, cudaTextureObject_t t, float x, float y)
{ *v = tex2D<T>(t, x, y); }
template <typename T> __device__ void tex3D(T *v, cudaTextureObject_t t, float x, float y, float z)
{ *v = tex3D<T>(t, x, y, z); }
template <typename T> __device__ T tex2DLayered(cudaTextureObject_t t, float x, float y, int layer)
{
    __texture_data one = __texture_of(t);
    one.data += (size_t)layer * one.height * one.pitch;
    return __texture_read<T>(one, 2, x, y, 0.0f);
}

// One channel of the four texels that a linear read is made of: from the lower left
// counterclockwise.
template <typename T>
__device__ T tex2Dgather(cudaTextureObject_t object, float x, float y, int channel = 0)
{
    const __texture_data &t = __texture_of(object);
    typedef typename __texel<T>::channel one;
    const unsigned int unit = t.unit_coords;
    const int i = (int)floorf((unit ? x * t.width : x) - 0.5f),
              j = (int)floorf((unit ? y * t.height : y) - 0.5f);
    T v = {};
    one *parts = (one *)&v;
    for (int n = 0; n < 4; ++n) {
        int u = __texture_index(i + (n == 1 || n == 2), t.width, t.address[0], unit);
        int w = __texture_index(j + (n < 2), t.height, t.address[1], unit);
        if (u < 0 || w < 0)
            continue;
        const char *at = t.data + (size_t)w * t.pitch + (size_t)u * (t.channels * (t.bits / 8));
        parts[n] = t.unit_values ? (one)__texture_unit(t, at, channel) : ((const one *)at)[channel];
    }
    return v;
}

// ---- references
#define __TEXTURE_REFERENCE(Mode, Result) \
    template <typename T, int K> __device__ Result tex1Dfetch(const texture<T, K, Mode> &t, int i) \
    { return __texture_fetch<Result>(t.about, i); } \
    template <typename T, int K> __device__ Result tex1D(const texture<T, K, Mode> &t, float x) \
    { return __texture_read<Result>(t.about, 1, x, 0.0f, 0.0f); } \
    template <typename T, int K> \
    __device__ Result tex2D(const texture<T, K, Mode> &t, float x, float y) \
    { return __texture_read<Result>(t.about, 2, x, y, 0.0f); } \
    template <typename T, int K> \
    __device__ Result tex3D(const texture<T, K, Mode> &t, float x, float y, float z) \
    { return __texture_read<Result>(t.about, 3, x, y, z); } \
    template <typename T, int K> \
    __device__ Result tex2DLod(const texture<T, K, Mode> &t, float x, float y, float) \
    { return __texture_read<Result>(t.about, 2, x, y, 0.0f); } \
    template <typename T, int K> \
    __device__ Result tex2DLayered(const texture<T, K, Mode> &t, float x, float y, int layer) \
    { \
        __texture_data one = t.about; \
        one.data += (size_t)layer * one.height * one.pitch; \
        return __texture_read<Result>(one, 2, x, y, 0.0f); \
    }
__TEXTURE_REFERENCE(cudaReadModeElementType, T)
__TEXTURE_REFERENCE(cudaReadModeNormalizedFloat, typename __texel<T>::real)
#undef __TEXTURE_REFERENCE

// ---- surfaces: x counts bytes
__device__ char *__surface_at(const __texture_data &s, int x, int y, int z, int size,
                              cudaSurfaceBoundaryMode mode)
{
    int w = s.width * s.channels * (s.bits / 8), h = s.height ? s.height : 1,
        d = s.depth ? s.depth : 1;
    bool inside = x >= 0 && x + size <= w && y >= 0 && y < h && z >= 0 && z < d;
    if (mode == cudaBoundaryModeTrap)
        assert("surface access inside of the surface" && inside);
    if (mode == cudaBoundaryModeClamp) {
        x = min(max(x, 0), w - size);
        y = min(max(y, 0), h - 1);
        z = min(max(z, 0), d - 1);
    } else if (!inside) {
        return nullptr;
    }
    return s.data + ((size_t)z * h + y) * s.pitch + x;
}

#define __SURFACE(head, kind, about) \
    template <typename T head> \
    __device__ T surf1Dread(kind s, int x, cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) \
    { \
        char *p = __surface_at(about, x, 0, 0, sizeof(T), m); \
        T v = {}; \
        return p ? *(T *)p : v; \
    } \
    template <typename T head> __device__ T surf2Dread( \
        kind s, int x, int y, cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) \
    { \
        char *p = __surface_at(about, x, y, 0, sizeof(T), m); \
        T v = {}; \
        return p ? *(T *)p : v; \
    } \
    template <typename T head> __device__ T surf3Dread( \
        kind s, int x, int y, int z, cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) \
    { \
        char *p = __surface_at(about, x, y, z, sizeof(T), m); \
        T v = {}; \
        return p ? *(T *)p : v; \
    } \
    template <typename T head> __device__ void surf1Dread( \
        T *v, kind s, int x, cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) \
    { \
        char *p = __surface_at(about, x, 0, 0, sizeof(T), m); \
        T zero = {}; \
        *v = p ? *(T *)p : zero; \
    } \
    template <typename T head> __device__ void surf2Dread( \
        T *v, kind s, int x, int y, cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) \
    { \
        char *p = __surface_at(about, x, y, 0, sizeof(T), m); \
        T zero = {}; \
        *v = p ? *(T *)p : zero; \
    } \
    template <typename T head> __device__ void surf3Dread( \
        T *v, kind s, int x, int y, int z, cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) \
    { \
        char *p = __surface_at(about, x, y, z, sizeof(T), m); \
        T zero = {}; \
        *v = p ? *(T *)p : zero; \
    } \
    template <typename T head> __device__ void surf1Dwrite( \
        T v, kind s, int x, cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) \
    { \
        char *p = __surface_at(about, x, 0, 0, sizeof(T), m); \
        if (p) *(T *)p = v; \
    } \
    template <typename T head> __device__ void surf2Dwrite( \
        T v, kind s, int x, int y, cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) \
    { \
        char *p = __surface_at(about, x, y, 0, sizeof(T), m); \
        if (p) *(T *)p = v; \
    } \
    template <typename T head> __device__ void surf3Dwrite( \
        T v, kind s, int x, int y, int z, cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) \
    { \
        char *p = __surface_at(about, x, y, z, sizeof(T), m); \
        if (p) *(T *)p = v; \
    } \
    template <typename T head> __device__ T surf2DLayeredread( \
        kind s, int x, int y, int layer, cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) \
    { \
        char *p = __surface_at(about, x, y, layer, sizeof(T), m); \
        T v = {}; \
        return p ? *(T *)p : v; \
    } \
    template <typename T head> __device__ void surf2DLayeredwrite( \
        T v, kind s, int x, int y, int layer, cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) \
    { \
        char *p = __surface_at(about, x, y, layer, sizeof(T), m); \
        if (p) *(T *)p = v; \
    }
#define __SURFACE_COMMA ,
__SURFACE(, cudaSurfaceObject_t, (*(const __texture_data *)s))
__SURFACE(__SURFACE_COMMA typename E __SURFACE_COMMA int K, const surface<E __SURFACE_COMMA K> &,
          s.about)
#undef __SURFACE_COMMA
#undef __SURFACE
