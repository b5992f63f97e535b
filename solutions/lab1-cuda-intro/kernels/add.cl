// c[i] = a[i] + b[i] for i < size, in OpenCL C: the kernel of add.cu for another host API. A work
// item is a thread, a work group is a block. The host asks for whole groups, so there are more work
// items than elements. The host names the element type: -D ELEM=int.
//
// CUDA C                                        OpenCL C
// extern "C" __global__ void                    __kernel void
// int *a (a pointer to device memory)           __global int *a
// blockIdx.x * blockDim.x + threadIdx.x         get_global_id(0)

__kernel void add_kernel(__global ELEM *c, __global const ELEM *a, __global const ELEM *b, int size)
{
    // <lab
    //~ // Your own element is get_global_id(0): compute it, if there is one.
    int i = get_global_id(0);
    if (i < size) c[i] = a[i] + b[i];
    // lab>
}
