// Gravitation: all pairs with float4 bodies and tiles in shared memory, one step in time; potential
// of charges in constant memory.
//
//@ buffer bodies f32 512 rand 191 -1 1
//@ buffer velocity f32 384 rand 192 -0.1 0.1
//@ buffer moved f32 512 empty
//@ buffer potential f32 256 empty
//@ symbol charges f32 80 rand 193 0.5 4
//@ run step <<<2, 64>>> (bodies, moved, velocity, 128, 0.01)
//@ run coulomb <<<(2, 2), (8, 8)>>> (potential, 16, 0.25, 20)
//@ check moved within 1e-5
//@ check velocity within 1e-4
//@ check potential within 1e-5

#define TILE 64
#define SOFTENING 1e-3f

__device__ float3 add_pull(float4 me, float4 other, float3 a)
{
    float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    float r2 = dx * dx + dy * dy + dz * dz + SOFTENING;
    float inverse = rsqrtf(r2);
    float s = fabsf(other.w) * inverse * inverse * inverse;
    a.x += dx * s;
    a.y += dy * s;
    a.z += dz * s;
    return a;
}

extern "C" __global__ void step(const float4 *bodies, float4 *moved, float3 *velocity, int n,
                                float dt)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = bodies[i];
    float3 a = {0.0f, 0.0f, 0.0f};
    for (int t = 0; t < n; t += TILE) {
        tile[threadIdx.x] = bodies[t + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < TILE; ++j)
            a = add_pull(me, tile[j], a);
        __syncthreads();
    }
    float3 v = velocity[i];
    v.x += a.x * dt;
    v.y += a.y * dt;
    v.z += a.z * dt;
    velocity[i] = v;
    moved[i] = make_float4(me.x + v.x * dt, me.y + v.y * dt, me.z + v.z * dt, me.w);
}

__constant__ float4 charges[20];

extern "C" __global__ void coulomb(float *potential, int width, float spacing, int count)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float px = x * spacing, py = y * spacing, sum = 0.0f;
    for (int k = 0; k < count; ++k) {
        float dx = px - charges[k].x, dy = py - charges[k].y, dz = charges[k].z;
        sum += charges[k].w / sqrtf(dx * dx + dy * dy + dz * dz);
    }
    potential[y * width + x] = sum;
}
