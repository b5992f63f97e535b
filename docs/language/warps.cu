// Warp functions, votes, atomics, vector types, integer and bit functions.
extern "C" __global__ void warps(float *sum, unsigned *bits, const float4 *in)
{
    float4 v = in[threadIdx.x];
    float s = v.x + v.y + v.z + v.w;
    for (int offset = 16; offset > 0; offset >>= 1)
        s += __shfl_down_sync(0xffffffffu, s, offset);
    unsigned ballot = __ballot_sync(0xffffffffu, v.x > 0.5f);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(sum, s);
        atomicMax(bits, __popc(ballot));
    }
}
