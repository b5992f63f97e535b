// A vector load from an address that is not a multiple of 16.
//
//@ buffer x f32 128 zero
//@ buffer y f32 128 empty
//@ run misaligned_float4 <<<1, 16>>> (x+1, y)
//@ fault MISALIGN thread (0,0,0) block (0,0,0)
//@ sanitizer memcheck

extern "C" __global__ void misaligned_float4(const float4 *x, float4 *y)
{
    y[threadIdx.x] = x[threadIdx.x]; // <- fault
}
