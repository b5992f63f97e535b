// Number of steps until the Collatz sequence of i reaches 1.
extern "C" __global__ void collatz(int *steps)
{
    unsigned n = threadIdx.x;
    int count = 0;
    while (n != 1) {
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        count++;
    }
    steps[threadIdx.x] = count;
}
