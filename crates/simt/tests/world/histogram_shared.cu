// Sub-histograms in shared memory, merged by atomics.
//@ buffer data u8 256 iota 0 1
//@ buffer histo u32 16 zero
//@ run histo_kernel <<<2, 32>>> (data, 256, histo)
//@ expect histo 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16
#define SIZE (100 * 1024 * 1024)
__global__ void histo_kernel(unsigned char *buffer, long size, unsigned int *histo)
{
    __shared__ unsigned int temp[16];
    if (threadIdx.x < 16) temp[threadIdx.x] = 0;
    __syncthreads();
    int i = threadIdx.x + blockIdx.x * blockDim.x, offset = blockDim.x * gridDim.x;
    while (i < size) { atomicAdd(&temp[buffer[i] >> 4], 1); i += offset; }
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&(histo[threadIdx.x]), temp[threadIdx.x]);
}
static void *big_random_block(int size) { return malloc(size); }
static void HandleError(cudaError_t err, const char *file, int line)
{
    if (err != cudaSuccess) {
        printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
        exit(EXIT_FAILURE);
    }
}
#define HANDLE_ERROR(err) (HandleError(err, __FILE__, __LINE__))
int main(void)
{
    unsigned char *buffer = (unsigned char *)big_random_block(SIZE);
    cudaEvent_t start;
    HANDLE_ERROR(cudaEventCreate(&start));
    cudaDeviceProp prop;
    HANDLE_ERROR(cudaGetDeviceProperties(&prop, 0));
    histo_kernel<<<prop.multiProcessorCount * 2, 256>>>(buffer, SIZE, 0);
}
