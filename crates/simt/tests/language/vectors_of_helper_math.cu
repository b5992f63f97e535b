// The operators of the samples' helper_math.h on whole numbers.
//
//@ buffer out i32 10 zero
//@ buffer f f32 4 zero
//@ run vectors_of_helper_math <<<1, 1>>> (out, f)
//@ expect out 5 7 9 3 4 5 20 2 6 32
//@ expect f 1 2.5 4 11

#include <helper_math.h>

extern "C" __global__ void vectors_of_helper_math(int *out, float *f)
{
    int3 a = make_int3(1, 2, 3), b = make_int3(4, 5, 6);
    int3 s = a + b, d = b - make_int3(1);
    out[0] = s.x, out[1] = s.y, out[2] = s.z;
    out[3] = d.x, out[4] = d.y, out[5] = d.z;
    uint4 u = make_uint4(10, 1, 2, 3) * 2u;
    out[6] = u.x, out[7] = u.y;
    a += b;
    out[8] = max(a, make_int3(6, 0, 0)).x;
    out[9] = dot(make_int3(1, 2, 3), b);
    float4 v = clamp(make_float4(0.5f, 2.5f, 9.0f, 1.0f), 1.0f, 4.0f);
    f[0] = v.x, f[1] = v.y, f[2] = v.z;
    f[3] = dot(make_float3(make_int3(1, 2, 2)), make_float3(make_float2(1, 2), 3.0f));
}
