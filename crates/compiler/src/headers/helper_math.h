// Arithmetic on float2, float3 and float4, under the names that sample code uses.
#pragma once

__host__ __device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__host__ __device__ float2 operator+(float2 a, float b) { return make_float2(a.x + b, a.y + b); }
__host__ __device__ float2 operator+(float a, float2 b) { return make_float2(a + b.x, a + b.y); }
__host__ __device__ void operator+=(float2 &a, float2 b) { a = a + b; }
__host__ __device__ void operator+=(float2 &a, float b) { a = a + b; }
__host__ __device__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__host__ __device__ float2 operator-(float2 a, float b) { return make_float2(a.x - b, a.y - b); }
__host__ __device__ float2 operator-(float a, float2 b) { return make_float2(a - b.x, a - b.y); }
__host__ __device__ void operator-=(float2 &a, float2 b) { a = a - b; }
__host__ __device__ void operator-=(float2 &a, float b) { a = a - b; }
__host__ __device__ float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x, a.y * b.y); }
__host__ __device__ float2 operator*(float2 a, float b) { return make_float2(a.x * b, a.y * b); }
__host__ __device__ float2 operator*(float a, float2 b) { return make_float2(a * b.x, a * b.y); }
__host__ __device__ void operator*=(float2 &a, float2 b) { a = a * b; }
__host__ __device__ void operator*=(float2 &a, float b) { a = a * b; }
__host__ __device__ float2 operator/(float2 a, float2 b) { return make_float2(a.x / b.x, a.y / b.y); }
__host__ __device__ float2 operator/(float2 a, float b) { return make_float2(a.x / b, a.y / b); }
__host__ __device__ float2 operator/(float a, float2 b) { return make_float2(a / b.x, a / b.y); }
__host__ __device__ void operator/=(float2 &a, float2 b) { a = a / b; }
__host__ __device__ void operator/=(float2 &a, float b) { a = a / b; }
__host__ __device__ float2 operator-(float2 a) { return make_float2(-a.x, -a.y); }
__host__ __device__ float2 make_float2(float s) { return make_float2(s, s); }
__host__ __device__ float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
__host__ __device__ float length(float2 v) { return sqrtf(dot(v, v)); }
__host__ __device__ float2 normalize(float2 v) { return v * rsqrtf(dot(v, v)); }
__host__ __device__ float2 lerp(float2 a, float2 b, float t) { return a + t * (b - a); }
__host__ __device__ float2 fminf(float2 a, float2 b) { return make_float2(fminf(a.x, b.x), fminf(a.y, b.y)); }
__host__ __device__ float2 fmaxf(float2 a, float2 b) { return make_float2(fmaxf(a.x, b.x), fmaxf(a.y, b.y)); }
__host__ __device__ float2 floorf(float2 v) { return make_float2(floorf(v.x), floorf(v.y)); }

__host__ __device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__host__ __device__ float3 operator+(float3 a, float b) { return make_float3(a.x + b, a.y + b, a.z + b); }
__host__ __device__ float3 operator+(float a, float3 b) { return make_float3(a + b.x, a + b.y, a + b.z); }
__host__ __device__ void operator+=(float3 &a, float3 b) { a = a + b; }
__host__ __device__ void operator+=(float3 &a, float b) { a = a + b; }
__host__ __device__ float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__host__ __device__ float3 operator-(float3 a, float b) { return make_float3(a.x - b, a.y - b, a.z - b); }
__host__ __device__ float3 operator-(float a, float3 b) { return make_float3(a - b.x, a - b.y, a - b.z); }
__host__ __device__ void operator-=(float3 &a, float3 b) { a = a - b; }
__host__ __device__ void operator-=(float3 &a, float b) { a = a - b; }
__host__ __device__ float3 operator*(float3 a, float3 b) { return make_float3(a.x * b.x, a.y * b.y, a.z * b.z); }
__host__ __device__ float3 operator*(float3 a, float b) { return make_float3(a.x * b, a.y * b, a.z * b); }
__host__ __device__ float3 operator*(float a, float3 b) { return make_float3(a * b.x, a * b.y, a * b.z); }
__host__ __device__ void operator*=(float3 &a, float3 b) { a = a * b; }
__host__ __device__ void operator*=(float3 &a, float b) { a = a * b; }
__host__ __device__ float3 operator/(float3 a, float3 b) { return make_float3(a.x / b.x, a.y / b.y, a.z / b.z); }
__host__ __device__ float3 operator/(float3 a, float b) { return make_float3(a.x / b, a.y / b, a.z / b); }
__host__ __device__ float3 operator/(float a, float3 b) { return make_float3(a / b.x, a / b.y, a / b.z); }
__host__ __device__ void operator/=(float3 &a, float3 b) { a = a / b; }
__host__ __device__ void operator/=(float3 &a, float b) { a = a / b; }
__host__ __device__ float3 operator-(float3 a) { return make_float3(-a.x, -a.y, -a.z); }
__host__ __device__ float3 make_float3(float s) { return make_float3(s, s, s); }
__host__ __device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__host__ __device__ float length(float3 v) { return sqrtf(dot(v, v)); }
__host__ __device__ float3 normalize(float3 v) { return v * rsqrtf(dot(v, v)); }
__host__ __device__ float3 lerp(float3 a, float3 b, float t) { return a + t * (b - a); }
__host__ __device__ float3 fminf(float3 a, float3 b) { return make_float3(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z)); }
__host__ __device__ float3 fmaxf(float3 a, float3 b) { return make_float3(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z)); }
__host__ __device__ float3 floorf(float3 v) { return make_float3(floorf(v.x), floorf(v.y), floorf(v.z)); }

__host__ __device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__host__ __device__ float4 operator+(float4 a, float b) { return make_float4(a.x + b, a.y + b, a.z + b, a.w + b); }
__host__ __device__ float4 operator+(float a, float4 b) { return make_float4(a + b.x, a + b.y, a + b.z, a + b.w); }
__host__ __device__ void operator+=(float4 &a, float4 b) { a = a + b; }
__host__ __device__ void operator+=(float4 &a, float b) { a = a + b; }
__host__ __device__ float4 operator-(float4 a, float4 b) { return make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
__host__ __device__ float4 operator-(float4 a, float b) { return make_float4(a.x - b, a.y - b, a.z - b, a.w - b); }
__host__ __device__ float4 operator-(float a, float4 b) { return make_float4(a - b.x, a - b.y, a - b.z, a - b.w); }
__host__ __device__ void operator-=(float4 &a, float4 b) { a = a - b; }
__host__ __device__ void operator-=(float4 &a, float b) { a = a - b; }
__host__ __device__ float4 operator*(float4 a, float4 b) { return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }
__host__ __device__ float4 operator*(float4 a, float b) { return make_float4(a.x * b, a.y * b, a.z * b, a.w * b); }
__host__ __device__ float4 operator*(float a, float4 b) { return make_float4(a * b.x, a * b.y, a * b.z, a * b.w); }
__host__ __device__ void operator*=(float4 &a, float4 b) { a = a * b; }
__host__ __device__ void operator*=(float4 &a, float b) { a = a * b; }
__host__ __device__ float4 operator/(float4 a, float4 b) { return make_float4(a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w); }
__host__ __device__ float4 operator/(float4 a, float b) { return make_float4(a.x / b, a.y / b, a.z / b, a.w / b); }
__host__ __device__ float4 operator/(float a, float4 b) { return make_float4(a / b.x, a / b.y, a / b.z, a / b.w); }
__host__ __device__ void operator/=(float4 &a, float4 b) { a = a / b; }
__host__ __device__ void operator/=(float4 &a, float b) { a = a / b; }
__host__ __device__ float4 operator-(float4 a) { return make_float4(-a.x, -a.y, -a.z, -a.w); }
__host__ __device__ float4 make_float4(float s) { return make_float4(s, s, s, s); }
__host__ __device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__host__ __device__ float length(float4 v) { return sqrtf(dot(v, v)); }
__host__ __device__ float4 normalize(float4 v) { return v * rsqrtf(dot(v, v)); }
__host__ __device__ float4 lerp(float4 a, float4 b, float t) { return a + t * (b - a); }
__host__ __device__ float4 fminf(float4 a, float4 b) { return make_float4(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z), fminf(a.w, b.w)); }
__host__ __device__ float4 fmaxf(float4 a, float4 b) { return make_float4(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.w, b.w)); }
__host__ __device__ float4 floorf(float4 v) { return make_float4(floorf(v.x), floorf(v.y), floorf(v.z), floorf(v.w)); }

__host__ __device__ float3 make_float3(float4 v) { return make_float3(v.x, v.y, v.z); }
__host__ __device__ float4 make_float4(float3 v, float w) { return make_float4(v.x, v.y, v.z, w); }
__host__ __device__ float3 cross(float3 a, float3 b)
{
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
__host__ __device__ float lerp(float a, float b, float t) { return a + t * (b - a); }
__host__ __device__ float clamp(float f, float a, float b) { return fmaxf(a, fminf(f, b)); }
__host__ __device__ int clamp(int f, int a, int b) { return max(a, min(f, b)); }
