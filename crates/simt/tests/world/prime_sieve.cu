// A flag that many threads set to the same value.
//@ buffer composite u8 30 zero
//@ run sieve <<<1, 8>>> (composite, 30)
//@ expect composite 0 0 0 0 1 0 1 0 1 1 1 0 1 0 1 1 1 0 1 0 1 1 1 0 1 1 1 1 1 0
__global__ void sieve(char *composite, int n)
{
    for (int p = 2 + threadIdx.x; p * p < n; p += blockDim.x)
        for (int m = p * p; m < n; m += p) composite[m] = 1;
}
int main(void)
{
    char *c;
    cudaMalloc((void **)&c, 30);
    cudaMemset(c, 0, 30);
    sieve<<<1, 8>>>(c, 30);
    cudaFree(c);
    return 0;
}
