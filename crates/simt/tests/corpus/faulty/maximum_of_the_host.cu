// `std::max` belongs to the host; CUDA's own `max` has no namespace.
//
//@ error std::max
//@ sanitizer none

#include <algorithm>

extern "C" __global__ void maximum_of_the_host(int *c)
{
    c[threadIdx.x] = std::max(static_cast<int>(threadIdx.x), 4); // <- fault
}
