// i * 100000 leaves the range of int: 2^31 is passed at i = 21475.
//
//@ buffer x f32 64 zero
//@ run index_overflows <<<200, 256>>> (x, 100000)
//@ fault OOB-G x[-2147467296] thread (227,0,0) block (83,0,0)
//@ sanitizer memcheck

extern "C" __global__ void index_overflows(float *x, int pitch)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = i * pitch;
    if (at < 64 && i > 0)
        x[at] = 1.0f; // <- fault
}
