// Textbook: a mask in constant memory, tiles with halo in shared memory.
//@ symbol M f32 5 list 1 2 3 2 1
//@ buffer N f32 20 fill 1
//@ buffer P f32 20 zero
//@ run conv1d <<<3, 8>>> (N, P, 20)
//@ expect P 6 8 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 8 6
#define MASK_WIDTH 5
#define TILE_SIZE 8
__constant__ float M[MASK_WIDTH];
__global__ void conv1d(float *N, float *P, int Width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float N_ds[TILE_SIZE + MASK_WIDTH - 1];
    int n = MASK_WIDTH / 2;
    int left = (blockIdx.x - 1) * blockDim.x + threadIdx.x;
    if (threadIdx.x >= blockDim.x - n)
        N_ds[threadIdx.x - (blockDim.x - n)] = (left < 0) ? 0 : N[left];
    N_ds[n + threadIdx.x] = i < Width ? N[i] : 0;
    int right = (blockIdx.x + 1) * blockDim.x + threadIdx.x;
    if (threadIdx.x < n) N_ds[n + blockDim.x + threadIdx.x] = (right >= Width) ? 0 : N[right];
    __syncthreads();
    float Pvalue = 0;
    for (int j = 0; j < MASK_WIDTH; j++) Pvalue += N_ds[threadIdx.x + j] * M[j];
    if (i < Width) P[i] = Pvalue;
}
int main()
{
    float h_M[] = {1, 2, 3, 2, 1};
    cudaMemcpyToSymbol(M, h_M, MASK_WIDTH * sizeof(float));
    conv1d<<<3, TILE_SIZE>>>(NULL, NULL, 20);
    return 0;
}
