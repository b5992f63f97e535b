// One coefficient more than there are.
//
//@ buffer y f32 32 empty
//@ symbol coeff f32 8 list 1 2 3 4 5 6 7 8
//@ run constant_past_the_end <<<1, 32>>> (y, 8)
//@ fault OOB-G coeff[8] thread (0,0,0) block (0,0,0)
//@ sanitizer none

__constant__ float coeff[8];

extern "C" __global__ void constant_past_the_end(float *y, int taps)
{
    float sum = 0.0f;
    for (int k = 0; k <= taps; ++k)
        sum += coeff[k]; // <- fault
    y[threadIdx.x] = sum;
}
