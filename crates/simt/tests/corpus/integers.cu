// Integer arithmetic: 64 bits, high products, shifts, signed division, bit counting, conversions
// that wrap, a modular power.
//
//@ buffer a i64 128 ints 251 -1000000000 1000000000
//@ buffer b i64 128 ints 252 1 1000000
//@ buffer wide i64 128 empty
//@ buffer words u32 128 ints 253 0 2147483647
//@ buffer bits i32 128 empty
//@ buffer narrow i32 128 empty
//@ buffer powers u64 64 empty
//@ buffer primes u8 200 empty
//@ run wide_arithmetic <<<1, 128>>> (a, b, wide)
//@ run count_bits <<<1, 128>>> (words, bits)
//@ run narrowing <<<1, 128>>> (a, narrow)
//@ run modular_powers <<<2, 32>>> (powers, 1000000007)
//@ run find_primes <<<2, 100>>> (primes)
//@ check wide exact
//@ check bits exact
//@ check narrow exact
//@ check powers exact
//@ check primes exact

extern "C" __global__ void wide_arithmetic(const long long *a, const long long *b, long long *r)
{
    int i = threadIdx.x;
    long long x = a[i], y = b[i];
    long long v = x * y;
    v ^= x / y;
    v += x % y << 7;
    v -= (x >> 3) | (long long)((unsigned long long)x >> 40);
    v = (v << 5) - ~v;
    if (x > y)
        v += __mul64hi(x << 30, y << 30);
    r[i] = v;
}

extern "C" __global__ void count_bits(const unsigned *words, int *bits)
{
    int i = threadIdx.x;
    unsigned w = words[i];
    int r = __popc(w) + 100 * __clz(w) + 10000 * __ffs(w);
    r ^= __brev(w) >> 7;
    r += __umulhi(w, 0x9e3779b9u) & 0xffff;
    r -= __byte_perm(w, i, 0x4321) & 0xff;
    r += __popcll((unsigned long long)w << 20 | i) + __clzll(w) + __ffsll((long long)w << 3);
    bits[i] = r + __mulhi((int)w, -5) + (int)__usad(w, 77u, 1u) + __mul24(i, -3);
}

extern "C" __global__ void narrowing(const long long *a, int *r)
{
    int i = threadIdx.x;
    char c = (char)a[i];
    unsigned char u = (unsigned char)a[i];
    short s = (short)(a[i] >> 8);
    unsigned short h = (unsigned short)(a[i] * 3);
    c += 100;
    u -= 50;
    s <<= 2;
    bool odd = a[i] & 1;
    r[i] = c + 1000 * u - s + (h >> 1) + odd + (i - 64) / 3 + (i - 64) % 3 + -7 / 2 + (int)(-7.9f) +
           (1u > -1);
}

__device__ unsigned long long power(unsigned long long base, unsigned exponent,
                                    unsigned long long modulus)
{
    unsigned long long result = 1;
    base %= modulus;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = result * base % modulus;
        base = base * base % modulus;
    }
    return result;
}

extern "C" __global__ void modular_powers(unsigned long long *r, unsigned long long modulus)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    r[i] = power(3 + i, 1000 * i + 17, modulus);
}

extern "C" __global__ void find_primes(unsigned char *primes)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    bool prime = n >= 2;
    for (int d = 2; d * d <= n && prime; ++d)
        if (n % d == 0)
            prime = false;
    primes[n] = prime;
}
