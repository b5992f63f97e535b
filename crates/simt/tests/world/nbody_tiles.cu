// Bodies as float4, tiles in shared memory, `__forceinline__` helpers.
//@ buffer pos f32 8 list 0 0 0 1 1 0 0 1
//@ buffer acc f32 8 zero
//@ run forces <<<1, 2>>> (pos, acc, 2)
//@ expect acc 1 0 0 0 -1 0 0 0
__device__ __forceinline__ float3 bodyBodyInteraction(float4 bi, float4 bj, float3 ai)
{
    float3 r;
    r.x = bj.x - bi.x; r.y = bj.y - bi.y; r.z = bj.z - bi.z;
    float distSqr = r.x * r.x + r.y * r.y + r.z * r.z;
    if (distSqr == 0.0f) return ai;
    float invDist = 1.0f / sqrtf(distSqr), s = bj.w * invDist * invDist * invDist;
    ai.x += r.x * s; ai.y += r.y * s; ai.z += r.z * s;
    return ai;
}
__global__ void forces(void *devX, void *devA, int n)
{
    extern __shared__ float4 unused[];
    __shared__ float4 shPosition[2];
    float4 *globalX = (float4 *)devX, *globalA = (float4 *)devA;
    int gtid = blockIdx.x * blockDim.x + threadIdx.x;
    float4 myPosition = globalX[gtid];
    float3 acc = {0.0f, 0.0f, 0.0f};
    for (int i = 0, tile = 0; i < n; i += 2, tile++) {
        shPosition[threadIdx.x] = globalX[tile * blockDim.x + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 2; k++) acc = bodyBodyInteraction(myPosition, shPosition[k], acc);
        __syncthreads();
    }
    float4 acc4 = {acc.x, acc.y, acc.z, 0.0f};
    globalA[gtid] = acc4;
}
int main(int argc, char *argv[]) { return 0; }
