// The generator of the NAS benchmarks on the device: s' = a s mod 2^46, a number s 2^-46 in (0, 1).
// Exercise 3.3.1; the kernels of 3.3.3, 3.3.4 and 3.4.6 include this file.

#define NPB_A 1220703125ull

// The state after s.
static __device__ unsigned long long lcg46(unsigned long long s)
{
    // <lab
    return (s * NPB_A) & ((1ull << 46) - 1);
    //~ return s;
    // lab>
}

// a^n mod 2^46.
static __device__ unsigned long long pow46(unsigned long long a, unsigned long long n)
{
    // <lab
    unsigned long long product = 1;
    while (n > 0) {
        if (n & 1) product = (product * a) & ((1ull << 46) - 1);
        a = (a * a) & ((1ull << 46) - 1);
        n >>= 1;
    }
    return product;
    //~ return a + n;
    // lab>
}

// The state n steps after s.
static __device__ unsigned long long seed46(unsigned long long s, unsigned long long n)
{
    return (s * pow46(NPB_A, n)) & ((1ull << 46) - 1);
}

// The number in (0, 1) of a state.
static __device__ double uniform46(unsigned long long s)
{ return (double)s * (1.0 / 70368744177664.0); }
