// Which odd numbers below 2^64 are prime, by Miller and Rabin's test with products of 128 bits.
//@ buffer n u64 8 list 3 9 561 2147483647 3215031751 18446744073709551557 18446744073709551555 4759123141
//@ buffer prime i32 8 zero
//@ run primes <<<1, 8>>> (n, prime, 8)
//@ expect prime 1 0 0 1 0 1 0 0
#include <cstdint>
#include <cstdio>
#include <vector>

using u64 = std::uint64_t;
using u128 = unsigned __int128;

__host__ __device__ inline u64 mul_mod(u64 a, u64 b, u64 m)
{
    return static_cast<u64>(static_cast<u128>(a) * b % m);
}
__host__ __device__ inline u64 pow_mod(u64 base, u64 exponent, u64 m)
{
    u64 result = 1;
    for (; exponent; exponent >>= 1, base = mul_mod(base, base, m))
        if (exponent & 1)
            result = mul_mod(result, base, m);
    return result;
}
__host__ __device__ bool is_prime(u64 n)
{
    constexpr u64 witnesses[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    for (u64 p : witnesses)
        if (n % p == 0)
            return n == p;
    const int twos = __builtin_ctzll(n - 1);
    for (u64 a : witnesses) {
        u64 x = pow_mod(a, (n - 1) >> twos, n);
        if (x == 1 || x == n - 1)
            continue;
        int k = 1;
        for (; k < twos && x != n - 1; ++k)
            x = mul_mod(x, x, n);
        if (x != n - 1)
            return false;
    }
    return true;
}

__global__ void primes(const u64 *n, int *prime, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        prime[i] = is_prime(n[i]);
}

int main()
{
    std::vector<u64> n(1 << 10);
    for (std::size_t i = 0; i < n.size(); ++i)
        n[i] = ~std::uint64_t{0} - 2 * i;
    u64 *d;
    int *p;
    cudaMalloc(&d, n.size() * sizeof(u64));
    cudaMalloc(&p, n.size() * sizeof(int));
    cudaMemcpy(d, n.data(), n.size() * sizeof(u64), cudaMemcpyHostToDevice);
    primes<<<4, 256>>>(d, p, static_cast<int>(n.size()));
    std::printf("%d\n", cudaDeviceSynchronize());
}
