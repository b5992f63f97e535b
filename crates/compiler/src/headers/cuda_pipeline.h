// The primitives of a pipeline: copies are made at once, and nothing is left to wait for.
#pragma once

__device__ void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0)
{
    assert((bytes == 4 || bytes == 8 || bytes == 16) && "4, 8 or 16 bytes are copied");
    if (zeros > 0) {
        for (size_t i = 0; i < bytes; ++i)
            ((char *)to)[i] = i < bytes - zeros ? ((const char *)from)[i] : 0;
    } else if (bytes == 16) {
        *(uint4 *)to = *(const uint4 *)from;
    } else if (bytes == 8) {
        *(uint2 *)to = *(const uint2 *)from;
    } else {
        *(unsigned int *)to = *(const unsigned int *)from;
    }
}
__device__ void __pipeline_commit() {}
__device__ void __pipeline_wait_prior(int) {}
