// A value is published by a flag of the C++ library, stored with release and loaded with acquire.
// Twin: the store is relaxed, so that the value may come later than the flag.
//
//@ buffer flag i32 1 zero
//@ buffer value i32 1 zero
//@ buffer out i32 1 zero
//@ run publish_by_atomic_ref <<<2, 1>>> (flag, value, out)
//@ expect out 7
//@ fault RACE-G
#include <cuda/atomic>

#ifdef FAULTY
#define ORDER cuda::memory_order_relaxed
#else
#define ORDER cuda::memory_order_release
#endif

extern "C" __global__ void publish_by_atomic_ref(int *flag, int *value, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0) {
        *value = 7;
        ready.store(1, ORDER);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0) {
        }
        *out = *value; // <- fault
    }
}
