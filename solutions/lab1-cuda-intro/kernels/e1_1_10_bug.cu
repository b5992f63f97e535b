// Vector addition with a planted mistake: right for one block, wrong for more. Elements: float,
// size of them. One thread adds one element; threads beyond size do nothing; there is no barrier.
extern "C" __global__ void add_kernel(float *c, const float *a, const float *b, int size)
{
    // <lab
    //~ int i = blockIdx.x * blockDim.y + threadIdx.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // lab>
    if (i < size) {
        c[i] = a[i] + b[i];
    }
}
