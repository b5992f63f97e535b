// A device function called with one argument of two.
//
//@ error mix
//@ sanitizer none

__device__ float mix(float a, float b) { return 0.5f * (a + b); }

extern "C" __global__ void too_few_arguments(float *c)
{
    c[threadIdx.x] = mix(c[threadIdx.x]); // <- fault
}
