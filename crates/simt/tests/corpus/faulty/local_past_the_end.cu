// A private array of four, five steps.
//
//@ buffer y i32 32 empty
//@ run local_past_the_end <<<1, 32>>> (y, 5)
//@ fault OOB-L digits[4] thread (0,0,0) block (0,0,0)
//@ sanitizer none

extern "C" __global__ void local_past_the_end(int *y, int n)
{
    int digits[4];
    int v = 10000 + threadIdx.x;
    for (int k = 0; k < n; ++k) {
        digits[k] = v % 10; // <- fault
        v /= 10;
    }
    y[threadIdx.x] = digits[0] + digits[n - 2];
}
