// Kernels that are templates, instantiated by what host code starts: explicit arguments, arguments
// that follow from variables, through a template of the host, and one whose head is not readable.
//
//@ buffer out i32 8 zero
//@ run fill<int> <<<1, 4>>> (out, 7, 4)
//@ run scale<int,3> <<<1, 4>>> (out)
//@ run add<int> <<<1, 4>>> (out)
//@ run negate<int,2> <<<1, 4>>> (out)
//@ expect out -22 -22 22 22 0 0 0 0
#include <cstdio>
#include <vector>

template <typename T> __global__ void fill(T *x, T v, int n)
{
    if (threadIdx.x < n)
        x[threadIdx.x] = v;
}
template <typename T, int BY> __global__ void scale(T *x) { x[threadIdx.x] *= BY; }
template <typename T> __global__ void add(T *x) { x[threadIdx.x] += 1; }
template <typename T, int N> __global__ void negate(T *x)
{
    if (threadIdx.x < N)
        x[threadIdx.x] = -x[threadIdx.x];
}

// The host's own template: what it starts depends on T.
template <typename T> void run(T *x, int kind)
{
    if (kind == 0)
        scale<T, 3><<<1, 4, 0, 0>>>(x);
    else
        add<<<dim3(1), dim3(4)>>>(x);
}

// A vector is for the host only, so that the head of this one cannot be read.
template <typename T, int N> std::vector<T> both(const std::vector<T> &from)
{
    T *device = nullptr;
    negate<T, N> <<< 1, 4 >>> (device);
    return from;
}

int main(int argc, char **argv)
{
    std::vector<int> data(8);
    int *device, n = 4;
    cudaMalloc((void **)&device, 8 * sizeof(int));
    fill<<<1, n>>>(device, 7, n);
    run<int>(device, argc);
    both<int, 2>(data);
    return 0;
}
