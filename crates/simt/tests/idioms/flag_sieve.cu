// A sieve: many threads strike out the same number.
// Twin: each leaves the factor that it found.
//
//@ buffer composite i32 64 zero
//@ buffer primes i32 1 zero
//@ run flag_sieve <<<3, 32>>> (composite)
//@ run flag_sieve_count <<<1, 1>>> (composite, primes)
//@ expect primes 18
//@ fault RACE-G

extern "C" __global__ void flag_sieve(int *composite)
{
    int p = blockIdx.x * 32 + threadIdx.x + 2;
    for (int k = 2 * p; k < 64; k += p)
#ifdef FAULTY
        composite[k] = p; // <- fault
#else
        composite[k] = 1;
#endif
}

extern "C" __global__ void flag_sieve_count(const int *composite, int *primes)
{
    for (int i = 2; i < 64; ++i)
        *primes += composite[i] == 0;
}
