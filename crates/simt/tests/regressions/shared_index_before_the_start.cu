// All threads read the same element, and it lies before the array: the end of the access wrapped
// round and passed for one inside. Found as seed 5261 of the damaged sources.
//
//@ buffer out i32 64 empty
//@ run read_before <<<1, 64>>> (out, -1)
//@ fault OOB-S s[-1] thread (0,0,0) block (0,0,0)

extern "C" __global__ void read_before(int *out, int at)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[at]; // <- fault
}
