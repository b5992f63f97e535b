// Accelerations of bodies: positions and masses as float4, tiles of them in local memory.
//
//@ buffer bodies f32 512 rand 17 0.5 1.5
//@ buffer accel f32 512 empty
//@ run forces <<<128, 64>>> (bodies, accel, 128, local:1024, 0.01)
//@ check accel within 1e-4

float4 pull(float4 sum, float4 me, float4 other, float eps2)
{
    float4 d = other - me;
    d.w = 0.0f;
    float inv = rsqrt(dot(d, d) + eps2);
    return sum + d * (other.w * inv * inv * inv);
}

__kernel void forces(__global const float4 *bodies, __global float4 *accel, int n,
                     __local float4 *tile, float eps2)
{
    float4 me = bodies[get_global_id(0)], sum = (float4)(0.0f);
    for (int base = 0; base < n; base += get_local_size(0)) {
        tile[get_local_id(0)] = bodies[base + get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < (int)get_local_size(0); ++k)
            sum = pull(sum, me, tile[k], eps2);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    accel[get_global_id(0)] = sum;
}
