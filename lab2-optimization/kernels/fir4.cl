// The tiled FIR filter of fir4.cu, in OpenCL C; groups of K work items, n <= N.
// A host of OpenCL passes whole buffers, not pointers into them: yin begins with the n zeros, and
// sample i is yin[n + i]. Group b computes outputs bK .. bK+K-1. It needs the samples bK-n ..
// bK+K-1: entry p of the tile holds sample bK-n+p. The coefficients are an argument now, in
// constant memory as before.
//
// CUDA C               OpenCL C
// threadIdx.x          get_local_id(0)
// blockIdx.x           get_group_id(0)
// __shared__           __local
// __syncthreads()      barrier(CLK_LOCAL_MEM_FENCE)

#define N 1024
#ifndef K
#define K 512
#endif

__kernel void audiofir_kernel(__global float *yout, __global const float *yin,
                              __constant float *coeff, int n)
{
    __local float ytile[N + K];
    // <lab
    // 1. All work items fill ytile[0 .. n+K-1], neighbours side by side.  2. Wait.  3. Sum up.
    // lab>
}
