// %d wants an int, and gets a double.
//
//@ buffer x f32 32 iota 0 1
//@ run format_and_argument <<<1, 32>>> (x)
//@ fault PRINTF|ERROR
//@ sanitizer none

extern "C" __global__ void format_and_argument(const float *x)
{
    printf("x = %d\n", x[threadIdx.x]); // <- fault
}
