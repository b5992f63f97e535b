// The C library's functions on bytes. Words are copied as words where both sides allow it.
#pragma once

__device__ void *memcpy(void *to, const void *from, size_t n)
{
    size_t i = 0;
    if ((((size_t)to | (size_t)from) & 3) == 0)
        for (; i + 4 <= n; i += 4)
            *(unsigned int *)((char *)to + i) = *(const unsigned int *)((const char *)from + i);
    for (; i < n; ++i)
        ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

__device__ void *memmove(void *to, const void *from, size_t n)
{
    if (to <= from)
        return memcpy(to, from, n);
    for (size_t i = n; i > 0; --i)
        ((char *)to)[i - 1] = ((const char *)from)[i - 1];
    return to;
}

__device__ void *memset(void *to, int value, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        ((unsigned char *)to)[i] = (unsigned char)value;
    return to;
}

__device__ int memcmp(const void *a, const void *b, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        int d = ((const unsigned char *)a)[i] - ((const unsigned char *)b)[i];
        if (d != 0)
            return d;
    }
    return 0;
}

__device__ size_t strlen(const char *s)
{
    size_t n = 0;
    while (s[n] != 0)
        ++n;
    return n;
}
