// A neighbour may already hold the new value.
//
//@ buffer x f32 256 iota 0 1
//@ run stencil_in_place <<<1, 256>>> (x, 256)
//@ fault RACE-G block (0,0,0)
//@ sanitizer none

extern "C" __global__ void stencil_in_place(float *x, int n)
{
    int i = threadIdx.x;
    if (i > 0 && i < n - 1)
        x[i] = (x[i - 1] + x[i] + x[i + 1]) / 3.0f; // <- fault
}
