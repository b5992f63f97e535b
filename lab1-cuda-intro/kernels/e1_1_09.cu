// c[i] = a[S*i] + b[S*i] for i in 0..size; a and b have S*size elements. Three kernels with strides
// S = 1, 2, 8. One thread adds one pair; threads beyond size do nothing; there is no barrier.
extern "C" __global__ void add_stride1(float *c, const float *a, const float *b, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        c[i] = a[i] + b[i];
    }
}

extern "C" __global__ void add_stride2(float *c, const float *a, const float *b, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        c[i] = a[2 * i] + b[2 * i];
    }
}

extern "C" __global__ void add_stride8(float *c, const float *a, const float *b, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        c[i] = a[8 * i] + b[8 * i];
    }
}
