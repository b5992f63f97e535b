// malloc and free of device code: 8 MiB, the size that CUDA's heap has unless the host asks for
// more. What is freed is not given out again before the module is loaded anew.
#pragma once

__device__ unsigned long long __heap[1048576];
__device__ unsigned long long __heap_used;

__device__ void *malloc(size_t bytes)
{
    // In front of the bytes stand a word that says that they are in use, and one to align them.
    unsigned long long words = (bytes + 15) / 16 * 2 + 2;
    if (words > 1048576)
        return nullptr;
    unsigned long long at = atomicAdd(&__heap_used, words);
    if (at + words > 1048576) {
        atomicAdd(&__heap_used, 0 - words);
        return nullptr;
    }
    __heap[at] = 0x6865617000000000ULL + words;
    return &__heap[at + 2];
}
__device__ void free(void *p)
{
    if (p == nullptr)
        return;
    unsigned long long *head = (unsigned long long *)p - 2;
    bool taken = head >= __heap && head < __heap + 1048576 && head[0] >> 32 == 0x68656170;
    assert(taken && "`free` and `delete` take what `malloc` and `new` gave, once");
    head[0] = 0;
}
template <typename T> __device__ T *__new_array(size_t n)
{
    T *p = (T *)malloc(n * sizeof(T));
    for (size_t i = 0; p != nullptr && i < n; ++i)
        new (p + i) T;
    // The word that aligns the bytes keeps the number.
    if (p != nullptr)
        ((unsigned long long *)p)[-1] = n;
    return p;
}
template <typename T> __device__ void __delete(T *p)
{
    if (p != nullptr)
        p->~T();
    free((void *)p);
}
template <typename T> __device__ void __delete_array(T *p)
{
    for (unsigned long long i = p != nullptr ? ((unsigned long long *)p)[-1] : 0; i > 0; --i)
        p[i - 1].~T();
    free((void *)p);
}
