// Dot product: private sums, a tree in shared memory, one atomic addition per block.
// The inputs are small integers, so every order of addition gives the same float.
//
//@ buffer a f32 5000 ints 11 -8 8
//@ buffer b f32 5000 ints 12 -8 8
//@ buffer result f32 1 zero
//@ run dot <<<8, 256>>> (a, b, result, 5000)
//@ count atom_req 8 : one per block
//@ count atom_lane 8 : by thread 0 alone
//@ count bar 72 : 8 blocks: one after the private sums, one after each of 8 halvings
//@ count shst_req 160 : per block 8 warps store their sums, then 4+2+1+1+1+1+1+1 warps take part
//@ count shld_req 200 : per block two loads for each of those 12, and one at the end
//@ check result exact

extern "C" __global__ void dot(const float *a, const float *b, float *result, int n)
{
    __shared__ float cache[256];
    int tid = threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += blockDim.x * gridDim.x)
        sum += a[i] * b[i];
    cache[tid] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (tid < half)
            cache[tid] += cache[tid + half];
        __syncthreads();
    }
    if (tid == 0)
        atomicAdd(result, cache[0]);
}
