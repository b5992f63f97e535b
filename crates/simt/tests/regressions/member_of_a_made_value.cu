// A statement that begins like the declaration of a pointer and takes a member of a value.
//
//@ buffer n i32 2 zero
//@ run f <<<1, 32>>> (n)
//@ expect n 64 32
#include <cuda/atomic>

struct Counter {
    int *at;
    __device__ Counter(int &word) : at(&word) {}
    __device__ void count() const { atomicAdd(at, 1); }
};

extern "C" __global__ void f(int *n)
{
    cuda::atomic_ref<int, cuda::thread_scope_device>(*(int *)&n[0]).fetch_add(2);
    Counter(*(n + 1)).count();
}
