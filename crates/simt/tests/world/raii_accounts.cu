// Transfers between accounts; a lock is a local object that frees itself on every way out.
//@ buffer balance i32 4 fill 100
//@ buffer refused i32 1 zero
//@ run transfer <<<4, 1>>> (balance, refused)
//@ expect balance 40 130 130 100
//@ expect refused 1
#include <iostream>
#include <stdexcept>

namespace bank {

class Lock {
public:
    __device__ explicit Lock(unsigned *word) : word_(word)
    {
        while (atomicCAS(word_, 0u, 1u) != 0u) {
        }
        __threadfence();
    }
    __device__ ~Lock()
    {
        __threadfence();
        atomicExch(word_, 0u);
    }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;

private:
    unsigned *word_;
};

__device__ unsigned door;

struct Refused {
    int *count;
    bool armed;
    __device__ ~Refused()
    {
        if (armed)
            atomicAdd(count, 1);
    }
};

__device__ bool move(int *balance, int from, int to, int amount, int *refused)
{
    Refused note{refused, true};
    Lock lock(&door);
    volatile int *b = balance;
    if (b[from] < amount)
        return false;
    b[from] -= amount;
    b[to] += amount;
    note.armed = false;
    return true;
}

}

__global__ void transfer(int *balance, int *refused)
{
    const int wanted[] = {30, 30, 500, 0};
    const int to[] = {1, 2, 3, 3};
    bank::move(balance, 0, to[blockIdx.x], wanted[blockIdx.x], refused);
}

int main()
{
    int *balance, *refused;
    if (cudaMalloc(&balance, 16) != cudaSuccess || cudaMalloc(&refused, 4) != cudaSuccess)
        throw std::runtime_error("no memory");
    transfer<<<4, 1>>>(balance, refused);
    std::cout << cudaGetErrorString(cudaDeviceSynchronize()) << std::endl;
}
