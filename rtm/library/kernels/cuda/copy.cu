// What memory can do: 16 bytes a thread, read once and written once.
extern "C" __global__ void copy(float4 *to, const float4 *__restrict__ from, long long n)
{
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        to[i] = from[i];
}
