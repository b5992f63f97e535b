// Where an address lies.
#pragma once

__device__ unsigned int __isShared(const void *p)
{ return (size_t)p >= 0x1000000 && (size_t)p < 0x10000000; }
__device__ unsigned int __isLocal(const void *p)
{ return (size_t)p >= 0x10000000 && (size_t)p < 0x40000000; }
__device__ unsigned int __isGlobal(const void *p) { return (size_t)p >= 0x100000000; }
__device__ size_t __cvta_generic_to_global(const void *p) { return (size_t)p; }
__device__ size_t __cvta_generic_to_shared(const void *p) { return (size_t)p; }
__device__ void *__cvta_global_to_generic(size_t p) { return (void *)p; }
__device__ void *__cvta_shared_to_generic(size_t p) { return (void *)p; }
